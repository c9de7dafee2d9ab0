import { z } from 'zod';
import { setBounded } from '../../lib/bounded-map.ts';
import type { Network } from '../../networks/network.ts';
import type {
  AccountRead,
  AccountRequest,
  AccountTransactions,
  AccountTransfer,
  ReadingFault,
  TransactionsRequest,
  UnreadableTransaction,
} from '../account-source.ts';
import { SourceError } from '../chain-source.ts';
import type { AskTogether, Ladders, SignatureEntry, SignatureList } from './list-signatures.ts';
import { listSignatures } from './list-signatures.ts';
import { proofCall, SkippedSlotError } from './signature-proof.ts';
import { maxVersionOf, readKnown, readTransactions } from './read-transactions.ts';
import type { Provider, Providers } from './solana-providers.ts';
import { parseAnswer, resultOf } from './solana-rpc.ts';
import { markAtOrBelow, slotAtOrBelow } from './solana-time.ts';

/** What arrived at an account: its transactions are listed, and what each did is read from its balances. */

/** A read fetches about as many transactions; what one slot holds is read whole. */
export const MAX_TRANSACTIONS_PER_READ = 200;
const MAX_OVERLAP_TRANSACTIONS = 100;
const MAX_CACHED_TRANSACTIONS = 20_000;

/** What reading works with, and what it remembers between reads. */
export type Desk = {
  network: Network;
  providers: Providers;
  /** A wallet and the accounts that its tokens arrive at. */
  addressesOf: (wallet: string) => string[];
  /** Transfers of transactions that were fetched before: the overlap is asked for again and again. */
  cache: Map<string, { slot: number; transfers: AccountTransfer[] }>;
  ladders: Ladders;
};

type Asked = { desk: Desk; provider: Provider; by: string; request: AccountRequest };
type Unread = { entry: SignatureEntry } & ReadingFault;
/** What one provider gave of the transactions that are listed, and what it did not. */
type Fetched = { transfers: AccountTransfer[]; unread: Unread[] };

/** By provider: what one says is no answer of another. */
const keyOf = (by: string, request: Pick<AccountRequest, 'account' | 'commitment'>, txId: string) =>
  `${by} ${request.commitment} ${request.account} ${txId}`;

const succeeded = ({ failed }: SignatureEntry) => !failed;

/**
 * The oldest whole slots that fit one read, the overlap before them, and where that ends. When nothing is left over, what is
 * newer than was asked for comes with them: a payment is shown as soon as it is there.
 */
export function selectEntries({ entries, newer, completeTo }: SignatureList, after: number) {
  const wanted = entries.filter(succeeded);
  const overlap = wanted.filter(({ slot }) => slot <= after).slice(-MAX_OVERLAP_TRANSACTIONS);
  const fresh = wanted.filter(({ slot }) => slot > after);
  const lastThatFits = fresh[MAX_TRANSACTIONS_PER_READ - 1]?.slot ?? completeTo;
  const firstLeft = fresh.find(({ slot }) => slot > lastThatFits);
  const end = firstLeft ? firstLeft.slot - 1 : completeTo;
  const ahead = firstLeft ? [] : newer.filter(succeeded).slice(0, MAX_TRANSACTIONS_PER_READ);
  return { selected: [...overlap, ...fresh.filter(({ slot }) => slot <= end), ...ahead], end };
}

/** A node that forgets `minContextSlot` could answer from before the range: its slot is asked for in the same request. */
function askFrom({ provider, request: { commitment, upTo } }: Asked): AskTogether {
  if (provider.keepsMinContextSlot) return provider.askEach;
  const slotCall = { method: 'getSlot', params: [{ commitment }] };
  return async (calls) => {
    const [slot, ...answers] = await provider.askEach([slotCall, ...calls]);
    if (parseAnswer(z.int(), resultOf(slotCall, slot), 'slot') < upTo.height)
      throw new SourceError('not-yet', 'The provider is behind what it was asked for.');
    return answers;
  };
}

/** There may be no block at the end of the range: then the newest one below it is what must be written. */
async function list(asked: Asked): Promise<SignatureList> {
  const { desk, provider, request } = asked;
  const { commitment, upTo, account } = request;
  const together = askFrom(asked);
  const listTo = (slot: number) => {
    const proof = proofCall(slot, commitment, maxVersionOf(desk.network));
    return listSignatures(desk.ladders, together, desk.addressesOf(account), request, proof);
  };
  try {
    return await listTo(upTo.height);
  } catch (cause) {
    if (!(cause instanceof SkippedSlotError)) throw cause;
    return listTo(await slotAtOrBelow(provider, upTo.height, commitment));
  }
}

async function fetchTransfers(
  { desk, provider, by, request }: Asked,
  selected: readonly SignatureEntry[],
): Promise<Fetched> {
  const { network, cache } = desk;
  const fetched: Fetched = { transfers: [], unread: [] };
  const missing: SignatureEntry[] = [];
  for (const entry of selected) {
    const cached = cache.get(keyOf(by, request, entry.signature));
    if (cached?.slot === entry.slot) fetched.transfers.push(...cached.transfers);
    else missing.push(entry);
  }
  const outcomes = await readTransactions({ network, provider, ...request }, missing);
  for (const [position, entry] of missing.entries()) {
    const found = outcomes[position];
    if (found?.outcome === 'read') {
      const { transfers } = found;
      fetched.transfers.push(...transfers);
      setBounded(cache, keyOf(by, request, entry.signature), { slot: entry.slot, transfers }, MAX_CACHED_TRANSACTIONS);
    } else if (found?.outcome === 'unreadable')
      fetched.unread.push({ entry, fault: found.fault, reason: found.reason });
  }
  return fetched;
}

async function readFrom(asked: Asked) {
  const { provider, by, request } = asked;
  const listed = await list(asked);
  // What is final above the range is for the next second read.
  const newer = request.commitment === 'confirmed' ? listed.newer : [];
  const { selected, end } = selectEntries({ ...listed, newer }, request.after.height);
  const wanted = selected.filter(({ signature }) => request.unread?.has(signature) !== true);
  const fetched = await fetchTransfers(asked, wanted);
  if (end === request.upTo.height) return { ...fetched, end: request.upTo, by };
  const { time } = await markAtOrBelow(provider, end, request.commitment);
  return { ...fetched, end: { height: end, time }, by };
}

/** What one provider cannot give, the others are asked for; they need not answer. */
async function fetchElsewhere(desk: Desk, request: AccountRequest, by: string, unread: Unread[]): Promise<Fetched> {
  if (unread.length === 0 || desk.providers.names.length < 2) return { transfers: [], unread };
  const entries = unread.map(({ entry }) => entry);
  const fetchFrom = async (provider: Provider, other: string): Promise<Fetched> => {
    const fetched = await fetchTransfers({ desk, provider, by: other, request }, entries);
    const transfers = fetched.transfers.map((transfer) => Object.assign({}, transfer, { shownBy: other }));
    return { ...fetched, transfers };
  };
  return desk.providers.use({ not: by }, fetchFrom).catch((cause: unknown) => {
    if (cause instanceof SourceError) return { transfers: [], unread };
    throw cause;
  });
}

/** Where a block has no time that can be had, that of the range's start is on the safe side. */
async function describeUnreadable(desk: Desk, request: AccountRequest, one: Unread): Promise<UnreadableTransaction> {
  const { signature, slot } = one.entry;
  const height = slot - 1;
  const timeOf = (provider: Provider) => markAtOrBelow(provider, height, request.commitment);
  const { time } = await desk.providers.use(request.pass, timeOf).catch((cause: unknown) => {
    if (cause instanceof SourceError) return request.after;
    throw cause;
  });
  return { txId: signature, height: slot, below: { height, time }, fault: one.fault, reason: one.reason };
}

export async function readAccount(desk: Desk, request: AccountRequest): Promise<AccountRead> {
  const read = await desk.providers.use(request.pass, (provider, by) => readFrom({ desk, provider, by, request }));
  const elsewhere = await fetchElsewhere(desk, request, read.by, read.unread);
  const transfers = [...read.transfers, ...elsewhere.transfers].sort((left, right) => left.height - right.height);
  const unreadable: UnreadableTransaction[] = [];
  for (const one of elsewhere.unread) unreadable.push(await describeUnreadable(desk, request, one));
  return { transfers, end: read.end, unreadable, by: read.by };
}

/** One that is not given, of which the provider knows all the same, is not absent. */
async function readSinglesFrom(
  desk: Desk,
  request: TransactionsRequest,
  provider: Provider,
  by: string,
): Promise<AccountTransactions> {
  const reader = { network: desk.network, provider, ...request };
  const read = await readTransactions(
    reader,
    request.txIds.map((signature) => ({ signature })),
  );
  const absent = read.filter(({ outcome }) => outcome === 'absent').map(({ txId }) => txId);
  const known = absent.length > 0 ? await readKnown(reader, absent) : new Set<string>();
  const transactions = read.map((one): typeof one =>
    one.outcome === 'absent' && known.has(one.txId)
      ? { txId: one.txId, outcome: 'unreadable', fault: 'missing', reason: 'It is known and not given.' }
      : one,
  );
  for (const one of transactions) {
    const slot = one.outcome === 'read' ? one.transfers[0]?.height : undefined;
    if (one.outcome === 'read' && slot !== undefined)
      setBounded(desk.cache, keyOf(by, request, one.txId), { slot, transfers: one.transfers }, MAX_CACHED_TRANSACTIONS);
  }
  return { transactions, by };
}

export function readSingles(desk: Desk, request: TransactionsRequest): Promise<AccountTransactions> {
  return desk.providers.use(request.pass, (provider, by) => readSinglesFrom(desk, request, provider, by));
}

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
import type { AskTogether, PageEnds, SignatureEntry, SignatureList } from './list-signatures.ts';
import { listSignatures } from './list-signatures.ts';
import { proofCall, SkippedSlotError } from './signature-proof.ts';
import { maxVersionOf, readKnown, readTransactions } from './read-transactions.ts';
import type { Provider, Providers } from './solana-providers.ts';
import { parseAnswer, resultOf } from './solana-rpc.ts';
import { positionAtOrBelow, slotAtOrBelow } from './solana-time.ts';

/** Reads an account: lists its transactions, then reads their balance changes. */

export const MAX_TRANSACTIONS_PER_READ = 200;
const MAX_OVERLAP_TRANSACTIONS = 100;
const MAX_CACHED_TRANSACTIONS = 20_000;

/** Dependencies of Solana reads, and state between them. */
export type SolanaContext = {
  network: Network;
  providers: Providers;
  addressesOf: (wallet: string) => string[];
  /** Earlier transfers: every read lists the end of the previous range again. */
  cache: Map<string, { slot: number; transfers: AccountTransfer[] }>;
  pageEnds: PageEnds;
};

type Asked = { context: SolanaContext; provider: Provider; by: string; request: AccountRequest };
type Unread = { entry: SignatureEntry } & ReadingFault;
/** Transfers that one provider returned, and transactions that it did not. */
type Fetched = { transfers: AccountTransfer[]; unread: Unread[] };

/** Includes the provider, because each must answer for itself. */
const keyOf = (by: string, request: Pick<AccountRequest, 'account' | 'commitment'>, txId: string) =>
  `${by} ${request.commitment} ${request.account} ${txId}`;

const succeeded = ({ failed }: SignatureEntry) => !failed;

/**
 * Selects one read: the oldest whole slots that fit, with the overlap; `end` is the last. If all fit, newer
 * transactions are added, so that a payment is shown early.
 */
function selectEntries({ entries, newer, completeTo }: SignatureList, after: number) {
  const wanted = entries.filter(succeeded);
  const overlap = wanted.filter(({ slot }) => slot <= after).slice(-MAX_OVERLAP_TRANSACTIONS);
  const fresh = wanted.filter(({ slot }) => slot > after);
  const lastThatFits = fresh[MAX_TRANSACTIONS_PER_READ - 1]?.slot ?? completeTo;
  const firstLeft = fresh.find(({ slot }) => slot > lastThatFits);
  const end = firstLeft ? firstLeft.slot - 1 : completeTo;
  const ahead = firstLeft ? [] : newer.filter(succeeded).slice(0, MAX_TRANSACTIONS_PER_READ);
  return { selected: [...overlap, ...fresh.filter(({ slot }) => slot <= end), ...ahead], end };
}

/** Asks a provider, also for its slot if it ignores `minContextSlot` and could answer from an older state. */
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

/** Lists the range's transactions. If the last slot has no block, the newest block below proves completeness. */
async function list(asked: Asked): Promise<SignatureList> {
  const { context, provider, request } = asked;
  const { commitment, upTo, account } = request;
  const together = askFrom(asked);
  const listTo = (slot: number) => {
    const proof = proofCall(slot, commitment, maxVersionOf(context.network));
    return listSignatures(context.pageEnds, together, context.addressesOf(account), request, proof);
  };
  try {
    return await listTo(upTo.height);
  } catch (cause) {
    if (!(cause instanceof SkippedSlotError)) throw cause;
    return listTo(await slotAtOrBelow(provider, upTo.height, commitment));
  }
}

async function fetchTransfers(
  { context, provider, by, request }: Asked,
  selected: readonly SignatureEntry[],
): Promise<Fetched> {
  const { network, cache } = context;
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
  // A second read leaves final transactions above its range to the next one.
  const newer = request.commitment === 'confirmed' ? listed.newer : [];
  const { selected, end } = selectEntries({ ...listed, newer }, request.after.height);
  const wanted = selected.filter(({ signature }) => request.unread?.has(signature) !== true);
  const fetched = await fetchTransfers(asked, wanted);
  if (end === request.upTo.height) return { ...fetched, end: request.upTo, by };
  const { time } = await positionAtOrBelow(provider, end, request.commitment);
  return { ...fetched, end: { height: end, time }, by };
}

/** Asks other providers for transactions that one did not return; failures are ignored. */
async function fetchElsewhere(
  context: SolanaContext,
  request: AccountRequest,
  by: string,
  unread: Unread[],
): Promise<Fetched> {
  if (unread.length === 0 || context.providers.names.length < 2) return { transfers: [], unread };
  const entries = unread.map(({ entry }) => entry);
  const fetchFrom = async (provider: Provider, other: string): Promise<Fetched> => {
    const fetched = await fetchTransfers({ context, provider, by: other, request }, entries);
    const transfers = fetched.transfers.map((transfer) => Object.assign({}, transfer, { shownBy: other }));
    return { ...fetched, transfers };
  };
  return context.providers.use({ not: by }, fetchFrom).catch((cause: unknown) => {
    if (cause instanceof SourceError) return { transfers: [], unread };
    throw cause;
  });
}

/** Without the block's time, the start of the range is used, which is earlier. */
async function describeUnreadable(
  context: SolanaContext,
  request: AccountRequest,
  one: Unread,
): Promise<UnreadableTransaction> {
  const { signature, slot } = one.entry;
  const height = slot - 1;
  const timeOf = (provider: Provider) => positionAtOrBelow(provider, height, request.commitment);
  const { time } = await context.providers.use(request.pass, timeOf).catch((cause: unknown) => {
    if (cause instanceof SourceError) return request.after;
    throw cause;
  });
  return { txId: signature, height: slot, below: { height, time }, fault: one.fault, reason: one.reason };
}

export async function readAccount(context: SolanaContext, request: AccountRequest): Promise<AccountRead> {
  const read = await context.providers.use(request.pass, (provider, by) =>
    readFrom({ context, provider, by, request }),
  );
  const elsewhere = await fetchElsewhere(context, request, read.by, read.unread);
  const transfers = [...read.transfers, ...elsewhere.transfers].sort((left, right) => left.height - right.height);
  const unreadable: UnreadableTransaction[] = [];
  for (const one of elsewhere.unread) unreadable.push(await describeUnreadable(context, request, one));
  return { transfers, end: read.end, unreadable, by: read.by };
}

/** A transaction that is not returned but has a status is unreadable, not absent. */
async function readSingleTransactionsFrom(
  context: SolanaContext,
  request: TransactionsRequest,
  provider: Provider,
  by: string,
): Promise<AccountTransactions> {
  const reader = { network: context.network, provider, ...request };
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
      setBounded(
        context.cache,
        keyOf(by, request, one.txId),
        { slot, transfers: one.transfers },
        MAX_CACHED_TRANSACTIONS,
      );
  }
  return { transactions, by };
}

export function readSingleTransactions(
  context: SolanaContext,
  request: TransactionsRequest,
): Promise<AccountTransactions> {
  return context.providers.use(request.pass, (provider, by) =>
    readSingleTransactionsFrom(context, request, provider, by),
  );
}

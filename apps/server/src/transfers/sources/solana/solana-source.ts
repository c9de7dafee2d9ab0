import { z } from 'zod';
import type { Network } from '../../../networks/network.ts';
import type { AccountRead, AccountRequest, AccountSource, AccountTransfer } from '../../account-source.ts';
import { SourceError } from '../../chain-source.ts';
import { deriveTokenAccount } from './derive-token-account.ts';
import type { Ladders, SignatureEntry, SignatureList } from './list-signatures.ts';
import { listSignatures } from './list-signatures.ts';
import { readFingerprints } from './read-fingerprints.ts';
import { decodeCredits, decodeTransaction, tokensByMint } from './solana-decode.ts';
import type { Provider } from './solana-providers.ts';
import { createProviders } from './solana-providers.ts';
import { referencesOf } from './solana-references.ts';
import type { SolanaCall } from './solana-rpc.ts';
import { MAX_CALLS_PER_REQUEST, parseAnswer, TIMEOUT_MS } from './solana-rpc.ts';
import { readHeads, timeAtOrBelow } from './solana-time.ts';

/** Solana, account by account: a wallet and, for each token of our list, the account that its tokens arrive at. */

/** A slot is 400 ms by design, and was never shorter than this. */
const SLOTS_PER_SECOND = 4;
/** A read fetches about as many transactions; what one slot holds is read whole. */
export const MAX_TRANSACTIONS_PER_READ = 200;
const MAX_OVERLAP_TRANSACTIONS = 100;
const MAX_CACHED_TRANSACTIONS = 20_000;
const MAX_CACHED_WALLETS = 20_000;

/** Transfers of transactions that were fetched before: the overlap is asked for again and again. */
type Cache = Map<string, { slot: number; transfers: AccountTransfer[] }>;

function keepBounded<Key, Value>(cache: Map<Key, Value>, key: Key, value: Value, limit: number): void {
  cache.delete(key);
  cache.set(key, value);
  const oldest = cache.keys().next();
  if (cache.size > limit && oldest.done !== true) cache.delete(oldest.value);
}

/** The oldest whole slots that fit one read, the overlap before them, and where that ends. */
export function selectEntries({ entries, completeTo }: SignatureList, after: number) {
  const wanted = entries.filter(({ failed }) => !failed);
  const overlap = wanted.filter(({ slot }) => slot <= after).slice(-MAX_OVERLAP_TRANSACTIONS);
  const fresh = wanted.filter(({ slot }) => slot > after);
  const lastThatFits = fresh[MAX_TRANSACTIONS_PER_READ - 1]?.slot ?? completeTo;
  const firstLeft = fresh.find(({ slot }) => slot > lastThatFits);
  const end = firstLeft ? firstLeft.slot - 1 : completeTo;
  return { selected: [...overlap, ...fresh.filter(({ slot }) => slot <= end)], end };
}

/** A node that forgets `minContextSlot` could answer from before the range: its slot is asked for in the same request. */
function askFrom(provider: Provider, { commitment, upTo }: AccountRequest) {
  if (provider.keepsMinContextSlot) return provider.ask;
  return async (calls: readonly SolanaCall[]): Promise<unknown[]> => {
    const [slot, ...answers] = await provider.ask([{ method: 'getSlot', params: [{ commitment }] }, ...calls]);
    if (parseAnswer(z.int(), slot, 'slot') < upTo.height)
      throw new SourceError('unavailable', 'The provider is behind what it was asked for.');
    return answers;
  };
}

function getTransaction({ signature }: SignatureEntry, commitment: string): SolanaCall {
  return {
    method: 'getTransaction',
    params: [signature, { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 }],
  };
}

type Reader = { network: Network; provider: Provider; request: AccountRequest; cache: Cache };

async function transfersOf(reader: Reader, entry: SignatureEntry, answer: unknown): Promise<AccountTransfer[]> {
  const { network, provider, request } = reader;
  if (answer === null) throw new SourceError('unavailable', `${entry.signature} is listed and cannot be read.`);
  const transaction = decodeTransaction(answer);
  if (transaction.slot !== entry.slot || transaction.signature !== entry.signature)
    throw new SourceError('inconsistent', `${entry.signature} is not where it was listed.`);
  const credits = decodeCredits(transaction, request.account, network);
  if (credits.length === 0) return [];
  const known = transaction.blockTime ?? entry.blockTime;
  const blockTime = known ?? (await timeAtOrBelow(provider, entry.slot, request.commitment));
  const references = referencesOf(transaction);
  const place = { txId: entry.signature, height: entry.slot, blockHash: `slot:${entry.slot}`, blockTime };
  return credits.map((credit) => Object.assign({ to: request.account, references }, credit, place));
}

/** In pieces: however many there are, few are held at a time. */
async function fetchTransfers(reader: Reader, selected: readonly SignatureEntry[]): Promise<AccountTransfer[]> {
  const { provider, request, cache } = reader;
  const keyOf = ({ signature }: SignatureEntry) =>
    `${request.pass} ${request.commitment} ${request.account} ${signature}`;
  const transfers: AccountTransfer[] = [];
  const missing: SignatureEntry[] = [];
  for (const entry of selected) {
    const cached = cache.get(keyOf(entry));
    if (cached?.slot === entry.slot) transfers.push(...cached.transfers);
    else missing.push(entry);
  }
  for (let start = 0; start < missing.length; start += MAX_CALLS_PER_REQUEST) {
    const piece = missing.slice(start, start + MAX_CALLS_PER_REQUEST);
    const answers = await provider.ask(piece.map((entry) => getTransaction(entry, request.commitment)));
    for (const [position, entry] of piece.entries()) {
      const found = await transfersOf(reader, entry, answers[position]);
      transfers.push(...found);
      keepBounded(cache, keyOf(entry), { slot: entry.slot, transfers: found }, MAX_CACHED_TRANSACTIONS);
    }
  }
  return transfers.sort((left, right) => left.height - right.height);
}

export type SolanaSource = AccountSource & {
  fingerprints: (accounts: readonly string[]) => Promise<Map<string, string>>;
};

export function createSolanaSource(network: Network, urls: readonly string[], timeoutMs = TIMEOUT_MS): SolanaSource {
  const providers = createProviders(network, urls, timeoutMs);
  const mints = [...tokensByMint(network).keys()];
  const addresses = new Map<string, string[]>();
  const cache: Cache = new Map();
  const ladders: Ladders = new Map();

  function addressesOf(wallet: string): string[] {
    const found = addresses.get(wallet) ?? [wallet, ...mints.map((mint) => deriveTokenAccount(wallet, mint))];
    keepBounded(addresses, wallet, found, MAX_CACHED_WALLETS);
    return found;
  }

  async function readFrom(provider: Provider, request: AccountRequest): Promise<AccountRead> {
    const ask = askFrom(provider, request);
    const list = await listSignatures(ladders, ask, addressesOf(request.account), request);
    const { selected, end } = selectEntries(list, request.after);
    const transfers = await fetchTransfers({ network, provider, request, cache }, selected);
    if (end === request.upTo.height) return { transfers, end: request.upTo };
    return { transfers, end: { height: end, time: await timeAtOrBelow(provider, end, request.commitment) } };
  }

  return {
    network,
    heightsPerSecond: SLOTS_PER_SECOND,
    heads: (pass) => providers.use(pass, readHeads),
    readAccount: (request) => providers.use(request.pass, (provider) => readFrom(provider, request)),
    fingerprints: (accounts) => providers.use('first', (provider) => readFingerprints(provider, accounts, addressesOf)),
    verify: providers.verify,
  };
}

import { Refusal } from '../lib/refusal.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Tx } from '../db/transaction.ts';
import { coinOf } from '../networks/network.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { ChainState } from '../chains/chain-sql.ts';
import { lockChain, readChain } from '../chains/chain-sql.ts';
import type { Following } from '../chains/follower.ts';
import { readLowestCoverage } from '../transfers/named-transfer-sql.ts';
import { requireOurChain } from '../chains/rescan-chain.ts';
import { noteConfirmation, readTransferIds } from '../chains/rescan-sql.ts';
import { createWatch, placeTransfers, filterTransfers } from '../chains/filter-transfers.ts';
import type { BlockRef, StoredTransfer } from '../sources/transfer.ts';
import { recordTransfers } from '../transfers/transfer-sql.ts';
import type { Witnesses } from '../chains/witness.ts';
import { chooseWitnesses, witnessNames } from '../chains/witness.ts';
import { recordChanges } from './change-feed-sql.ts';
import type { FoundCoins } from './find-named-coins.ts';
import { findNamedCoins, recordNamedCoins } from './find-named-coins.ts';
import type { NamedOutcome, NamedQuote } from './named-transaction.ts';
import { isInWindow } from './named-transaction.ts';
import type { NamedRequest } from './named-transaction-sql.ts';
import { claimRequests, endRequest, noteHeight, readNamedQuotes } from './named-transaction-sql.ts';

/**
 * Reads submitted transactions in small batches, outside database transactions. Token transfers, by receipts of two
 * witnesses, are handled as any payment; coins are recorded for manual attachment. Only transfers to the invoice's
 * quoted addresses count, within their windows and in blocks that every tier has covered.
 */

const BATCH = 20;
/** With the pauses in between, more than an hour. */
const MAX_TRIES = 16;

/** The result of one attempt; `later` leaves the request for the next. */
type Step = 'later' | { height: number } | { outcome: NamedOutcome };

type Reading = {
  follower: Following;
  chain: ChainState;
  witnesses: Witnesses;
  covered: number;
  request: NamedRequest;
};

/** The receipt; null unless both witnesses agree on its block. */
async function readAgreed({ follower: { source }, witnesses, request }: Reading) {
  const asked = witnessNames(witnesses).map((only) => source.receipts([request.txId], { only }));
  const receipts = await Promise.all(asked);
  const [first, ...others] = receipts.map(([receipt]) => receipt ?? null);
  return first && others.every((other) => other?.blockHash === first.blockHash) ? first : null;
}

async function readTokens(
  { follower, witnesses }: Reading,
  transfers: Parameters<typeof filterTransfers>[2],
  block: BlockRef,
  quotes: readonly NamedQuote[],
): Promise<StoredTransfer[]> {
  const { network } = follower.source;
  const watch = createWatch(
    network,
    0n,
    quotes.map(({ toAddress }) => toAddress),
  );
  return placeTransfers(follower, filterTransfers(network, watch, transfers).watched, [block], {
    only: witnesses.second,
  });
}

async function readOne(reading: Reading): Promise<Step> {
  const { follower, witnesses, covered, request } = reading;
  const { database, source } = follower;
  const network = source.network.id;
  const quotes = await readNamedQuotes(database.queries, request.invoiceId, network);
  const receipt = await readAgreed(reading);
  if (!receipt) return 'later';
  if (!receipt.succeeded) return { outcome: 'failed' };
  if (receipt.height > covered) return { height: receipt.height };
  await requireOurChain(follower, receipt.height, witnesses);
  const block = await source.blockAt(receipt.height, { only: witnesses.first });
  if (block?.hash !== receipt.blockHash) return 'later';
  const open = quotes.filter((quote) => isInWindow(quote, block.time));
  if (open.length === 0) return { outcome: 'out-of-window' };
  const tokens = await readTokens(reading, receipt.transfers, block, open);
  const coin = coinOf(source.network);
  const coins = coin ? await findNamedCoins(follower, witnesses, { ...request, block, coin, quotes: open }) : [];
  if (coins === undefined) return 'later';
  return commit(reading, block, tokens, coins);
}

/** The outcome over all tokens, coins and addresses of the invoice. */
function outcomeOf(found: number, tokens: readonly StoredTransfer[], coins: readonly FoundCoins[]): NamedOutcome {
  if (found > 0) return 'found';
  if (tokens.length > 0 || coins.some(({ transfers }) => transfers.length > 0)) return 'known';
  return coins.flatMap(({ unknown }) => unknown ?? [])[0] ?? 'nothing';
}

async function commit(
  { follower, chain, witnesses, request }: Reading,
  block: BlockRef,
  tokens: readonly StoredTransfer[],
  coins: readonly FoundCoins[],
): Promise<Step> {
  const { database, source, clock, apply, failpoint } = follower;
  const network = source.network.id;
  const at = new Date(clock.nowMs());
  await failpoint('named:before-commit');
  const recordTokens = async (tx: Tx) => {
    const evidence = { by: witnesses.first, how: 'receipt' } as const;
    const { changed, orphaned } = await recordTransfers(tx, network, tokens, at, evidence);
    const ids = await readTransferIds(tx, network, tokens);
    await noteConfirmation(tx, ids, witnesses.second, at);
    await apply(tx, network, ids, orphaned);
    return changed.length;
  };
  return inTransaction(database, async (tx): Promise<Step> => {
    const locked = await lockChain(tx, network);
    // With a freeze or a rewind since the read, the blocks may no longer be in the chain: wait for the next attempt.
    if (!locked || locked.frozen || locked.rewinds !== chain.rewinds) return 'later';
    if (((await readLowestCoverage(tx, network)) ?? 0) < block.height) return 'later';
    const found = await recordTokens(tx);
    const named = await recordNamedCoins(tx, network, request.namedBy, coins, at);
    await apply(tx, network, named);
    const outcome = outcomeOf(found + named.length, tokens, coins);
    await endRequest(tx, { ...request, network }, outcome);
    await recordChanges(tx, [request.invoiceId]);
    return { outcome };
  });
}

/** Whether a provider just does not answer; other errors are ours. */
const isNoAnswer = (cause: unknown) => cause instanceof SourceError || cause instanceof Refusal;

async function readRequest(reading: Reading): Promise<void> {
  const { follower, request } = reading;
  const { database, log, source } = follower;
  const network = source.network.id;
  const step = await readOne(reading).catch((cause: unknown): Step => {
    if (!isNoAnswer(cause)) throw cause;
    log.warn({ network, tx: request.txId, err: cause }, 'a submitted transaction could not be read');
    return 'later';
  });
  const key = { ...request, network };
  if (step === 'later') {
    if (request.tries >= MAX_TRIES) await endRequest(database.queries, key, 'unanswered');
  } else if ('height' in step) await noteHeight(database.queries, key, step.height);
  // No effect where the commit of its transfers has already ended the request.
  else await endRequest(database.queries, key, step.outcome);
}

/** Reads a batch; true when there may be more. */
export async function readNamedTransactions(follower: Following): Promise<boolean> {
  const { database, source, log } = follower;
  const network = source.network.id;
  const chain = await readChain(database.queries, network);
  const covered = await readLowestCoverage(database.queries, network);
  if (!chain || chain.frozen || chain.retired || covered === undefined) return false;
  const claimed = await claimRequests(database.queries, network, covered, BATCH);
  const requests = claimed.filter(({ waits }) => !waits);
  const more = claimed.length === BATCH;
  if (requests.length === 0) return more;
  try {
    const witnesses = await chooseWitnesses(source);
    for (const request of requests) await readRequest({ follower, chain, witnesses, covered, request });
  } catch (cause) {
    if (!isNoAnswer(cause)) throw cause;
    log.warn({ network, err: cause }, 'no provider is available for submitted transactions');
  }
  return more;
}

import type { Database } from '../db/database.ts';
import { isDatabaseError } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import type { Network } from '../networks/network.ts';
import type { NetworksContext } from '../networks/networks.ts';
import { recordChanges } from './change-feed-sql.ts';
import type { Tx } from '../db/transaction.ts';
import { lockInvoices } from './change-invoice-sql.ts';
import type { ExplainedTransfer, MarkedTransfer, Unexplained } from './explain-sql.ts';
import {
  endExplaining,
  findNeighbours,
  findOpenAtAddress,
  findUnexplained,
  lockUnexplained,
  noteNear,
  saveExplanations,
} from './explain-sql.ts';
import { readUnattached } from './match-sql.ts';
import { recordReceivedMoney } from './record-events.ts';
import type { Neighbour, UnmatchedTransfer } from './unmatched-transfer.ts';
import { explainUnmatched } from './unmatched-transfer.ts';
import { WINDOW_SKEW_SECONDS } from '../quotes/quote.ts';

/**
 * Explains transfers that match no amount, a few at a time and outside readers' commits: each is compared with many
 * amounts, and a flood must not delay payments.
 */

const BATCH = 50;
const PER_NETWORK = 200;
const STATEMENT_TIMED_OUT = '57014';

const byAmount = (left: Neighbour, right: Neighbour) => (left.displayUnits < right.displayUnits ? -1 : 1);

/** Explains each transfer by the quotes that were open at its address. */
async function explainEach(
  tx: Tx,
  network: Network,
  transfers: readonly UnmatchedTransfer[],
): Promise<ExplainedTransfer[]> {
  if (transfers.length === 0) return [];
  const neighbours = await findNeighbours(tx, network.id, transfers, WINDOW_SKEW_SECONDS);
  const byTransfer = Map.groupBy(neighbours, ({ transferId }) => transferId);
  const alone = transfers.filter(({ id }) => !byTransfer.has(id));
  const tokens = network.tokens.map((token) => token.symbol);
  const open = alone.length > 0 ? await findOpenAtAddress(tx, network.id, tokens, alone, WINDOW_SKEW_SECONDS) : [];
  return transfers.map(({ id, displayUnits }) => {
    const beside = byTransfer.get(id) ?? [];
    const above = beside.filter(({ side }) => side === 'above').toSorted(byAmount);
    const below = beside.filter(({ side }) => side === 'below').toSorted((left, right) => byAmount(right, left));
    return { transferId: id, ...explainUnmatched({ displayUnits, above, below, addressWasOpen: open.includes(id) }) };
  });
}

async function recordMarkedMoney(tx: Tx, at: Date, marked: readonly MarkedTransfer[]): Promise<void> {
  if (marked.length === 0) return;
  await lockInvoices(
    tx,
    marked.map(({ invoiceId }) => invoiceId),
  );
  await recordReceivedMoney(
    tx,
    at,
    marked.map(({ transferId }) => transferId),
  );
}

type ExplainContext = { database: Database; clock: Clock };

async function explainBatch(
  { database, clock }: ExplainContext,
  network: Network,
  ids: readonly bigint[],
): Promise<number> {
  return inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const locked = await lockUnexplained(tx, ids);
    const transfers = await readUnattached(tx, network, locked);
    const explained = await explainEach(tx, network, transfers);
    const marked = await saveExplanations(tx, explained);
    const ambiguous = new Set(explained.filter(({ isAmbiguous }) => isAmbiguous).map(({ transferId }) => transferId));
    const asked = transfers.filter(({ id }) => ambiguous.has(id));
    const near = await noteNear(tx, network.id, asked, WINDOW_SKEW_SECONDS);
    await recordChanges(tx, [...new Set([...marked.map(({ invoiceId }) => invoiceId), ...near])]);
    await endExplaining(tx, locked);
    await recordMarkedMoney(
      tx,
      at,
      marked.filter(({ hasEndpoints }) => hasEndpoints),
    );
    return locked.length;
  });
}

/** Explains a batch, halving one that takes too long. A single transfer that takes too long is saved as unknown. */
async function explainWithin(context: ExplainContext, network: Network, ids: readonly bigint[]): Promise<number> {
  try {
    return await explainBatch(context, network, ids);
  } catch (cause) {
    if (!isDatabaseError(cause, STATEMENT_TIMED_OUT)) throw cause;
    if (ids.length === 1) {
      await inTransaction(context.database, (tx) => endExplaining(tx, ids));
      return 1;
    }
    const half = Math.ceil(ids.length / 2);
    const explained = await explainWithin(context, network, ids.slice(0, half));
    return explained + (await explainWithin(context, network, ids.slice(half)));
  }
}

/** Explains a round of transfers; returns how many. A flooded network delays others by one batch. */
export async function explainTransfers({ database, clock, networks }: NetworksContext): Promise<number> {
  const unexplained = await findUnexplained(database.queries, [...networks.keys()], PER_NETWORK);
  const waiting = Map.groupBy(unexplained, networkOf);
  let explained = 0;
  for (let start = 0; start < PER_NETWORK; start += BATCH) {
    for (const [networkId, transfers] of waiting) {
      const network = networks.get(networkId);
      const ids = transfers.slice(start, start + BATCH).map(({ id }) => id);
      if (network && ids.length > 0) explained += await explainWithin({ database, clock }, network, ids);
    }
  }
  return explained;
}

const networkOf = ({ network }: Unexplained) => network;

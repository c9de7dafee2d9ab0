import type { TrueTransfer } from './truth.ts';
import { settledHeight } from './rules.ts';
import type { World } from './world.ts';
import { sideOf } from './world.ts';

/** Checks the depth of each payment as soon as its invoice is completed, not only at the drill's end. */

const POLL_MS = 250;

type Completed = { id: string; transId: string; tx: string; network: string; amountUsd: number; at: Date };

/** Watches depths; `stop` returns how many invoices were completed too early, by network. */
export type DepthWatch = { stop(): Promise<Record<string, number>> };

async function readCompleted(world: World, above: Date): Promise<Completed[]> {
  const { rows } = await world.drill.database.pool.query<Completed>(
    `select i.id::text, i.trans_id as "transId", i.transaction_hash as tx, q.network, i.amount_usd::float8 as "amountUsd",
       i.settled_at as at
     from invoices i join quotes q on q.id = i.quote_id where i.status = 'completed' and i.settled_at >= $1`,
    [above],
  );
  return rows;
}

/** Overlap of two queries: a commit may become visible this many milliseconds after its time. */
const OVERLAP_MS = 10_000;

/**
 * Judges completed invoices. The chain is read after the rows, so a payment can only be deeper than at the decision.
 * Returns the invoices that could not be judged: in the middle of a reorg a chain is lower than before and after the
 * reorg.
 */
function judgeAll(world: World, completed: readonly Completed[], shallow: Record<string, number>): Completed[] {
  const left: Completed[] = [];
  for (const [network, ofNetwork] of Map.groupBy(completed, (one) => one.network)) {
    const side = sideOf(world, network);
    const chain = side.truth();
    if (chain.head < side.driver.head()) {
      left.push(...ofNetwork);
      continue;
    }
    const byTx = Map.groupBy(chain.transfers, (one: TrueTransfer) => one.tx);
    for (const { transId, tx, amountUsd } of ofNetwork) {
      const height = byTx.get(tx)?.[0]?.height ?? Number.POSITIVE_INFINITY;
      const settled = settledHeight(side, chain, amountUsd, 'least');
      if (height <= settled) continue;
      shallow[network] = (shallow[network] ?? 0) + 1;
      world.faults.add(
        `double: ${transId} was completed with ${tx} at ${height} of ${network}, settled up to ${settled}`,
      );
    }
  }
  return left;
}

export function watchDepths(world: World): DepthWatch {
  const seen = new Set<string>();
  const shallow: Record<string, number> = {};
  const stop = new AbortController();
  let above = new Date(0);
  let waiting: Completed[] = [];
  const look = async () => {
    const read = (await readCompleted(world, above)).filter(({ id }) => !seen.has(id));
    const completed = [...waiting, ...read];
    for (const { id, at } of read) {
      seen.add(id);
      above = new Date(Math.max(above.getTime(), at.getTime() - OVERLAP_MS * world.factor));
    }
    waiting = judgeAll(world, completed, shallow);
  };
  const run = async () => {
    while (!stop.signal.aborted) {
      await look();
      await world.pause(POLL_MS);
    }
  };
  // A failure of this watch is not reported: the part of the drill that runs beside the watch fails for the same
  // reason, and reports the failure.
  const running = run().catch(() => {});
  return {
    stop: async () => {
      stop.abort();
      await running;
      return shallow;
    },
  };
}

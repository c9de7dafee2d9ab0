import type { Hex } from 'viem';
import type { Faults } from './concurrency-client.ts';
import { requiredDepth } from './chain-truth.ts';
import type { Symbol, World } from './chain-world.ts';

/** Looks at each invoice as soon as it is completed: its payment must be deep at that moment, not only in the end. */

const POLL_MS = 150;

type Completed = { id: string; transId: string; tx: string; network: Symbol; amountUsd: number };

export type DepthWatch = { stop(): Promise<number> };

async function readCompleted(world: World, above: Date): Promise<(Completed & { at: Date })[]> {
  const { rows } = await world.drill.database.pool.query<Completed & { at: Date }>(
    `select i.id::text, i.trans_id as "transId", i.transaction_hash as tx, q.network, i.amount_usd::float8 as "amountUsd",
       i.settled_at as at
     from invoices i join quotes q on q.id = i.quote_id where i.status = 'completed' and i.settled_at >= $1`,
    [above],
  );
  return rows;
}

async function judgeOne(world: World, one: Completed, faults: Faults): Promise<boolean> {
  const { anvil, driver } = world.sides[one.network];
  const receipt = await anvil.rpc<{ blockNumber: Hex } | null>('eth_getTransactionReceipt', [one.tx]);
  // In the middle of a reorganisation the node's head is lower than before and after; the driver's may be a block behind.
  const head = Math.max(driver.head(), Number(await anvil.rpc<Hex>('eth_blockNumber')));
  const depth = receipt ? head - Number(receipt.blockNumber) : -1;
  const required = requiredDepth(one.network, one.amountUsd);
  if (depth >= required) return true;
  faults.add(`double: ${one.transId} was completed with ${one.tx} ${depth} of ${required} deep on ${one.network}`);
  return false;
}

/** Overlap of two looks: a commit may become visible this long after its time. */
const OVERLAP_MS = 10_000;

export function watchDepths(world: World): DepthWatch {
  const seen = new Set<string>();
  let shallow = 0;
  const stop = new AbortController();
  let above = new Date(0);
  const look = async () => {
    const completed = await readCompleted(world, above);
    for (const one of completed) {
      if (seen.has(one.id)) continue;
      seen.add(one.id);
      if (!(await judgeOne(world, one, world.faults))) shallow += 1;
      above = new Date(Math.max(above.getTime(), one.at.getTime() - OVERLAP_MS));
    }
  };
  const run = async () => {
    while (!stop.signal.aborted) {
      await look();
      await world.pause(POLL_MS);
    }
  };
  // The part itself rejects for the same reason, and is the one to tell.
  const running = run().catch(() => {});
  return {
    stop: async () => {
      stop.abort();
      await running;
      return shallow;
    },
  };
}

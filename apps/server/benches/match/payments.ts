import { pino } from 'pino';
import type pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Network } from '../../src/networks/network.ts';
import { followHead, followTiers } from '../../src/chains/follow-chain.ts';
import { createFollower } from '../../src/chains/follower.ts';
import { blocksFetched } from '../../rig/database/measure-buffers.ts';
import type { PaidQuotes } from './pgbench-baseline.ts';
import { STRIDE } from './pgbench-baseline.ts';
import { createCannedChain, FINAL_DEPTH } from './source.ts';

/** Payments through the engine, from the source's port to the event row. */

/** Payments per block, which is one range. */
export const RANGE = 1_000;

export type Matcher = {
  /** Follows one block after the other until all payments have settled; returns the seconds that it took. */
  pay: (ranges: readonly (readonly number[])[]) => Promise<number>;
};

export async function createMatcher(database: Database, network: Network): Promise<Matcher> {
  const { rows } = await database.pool.query<{ address: string }>(
    'select address from wallets where network = $1 order by store_id',
    [network.id],
  );
  const addresses = rows.map((row) => row.address);
  const chain = createCannedChain(network, addresses, Math.floor(systemClock.nowMs() / 1000));
  const parts = {
    database,
    clock: systemClock,
    log: pino({ level: 'warn' }),
    source: chain.source,
    owner: 'bench',
    apply: createApplyTransfers({ clock: systemClock, networks: NETWORKS }),
  };
  // The work of second reads is measured, not the wait for them.
  const follower = { ...createFollower(parts), secondReadAgeMs: 0 };
  const follow = async (transfers: Parameters<typeof chain.add>[0]) => {
    chain.add(transfers);
    const step = await followHead(follower);
    if (step !== 'worked') throw new Error(`The chain was not followed: ${step}.`);
    for (let steps = 0; (await followTiers(follower)) === 'worked'; steps += 1) {
      if (steps > RANGE) throw new Error('Proofs do not come to rest.');
    }
  };
  // The first step starts the chain, with nothing to read yet.
  await followHead(follower);
  return {
    pay: async (ranges) => {
      const blocks = ranges.map(chain.paymentsOf);
      const startedAt = performance.now();
      for (const transfers of blocks) await follow(transfers);
      for (let empty = 0; empty < FINAL_DEPTH; empty += 1) await follow([]);
      return (performance.now() - startedAt) / 1000;
    },
  };
}

/** Unpaid quotes, handed out a range at a time. */
export function createUnpaid({ base, count }: PaidQuotes, limit: number): { left: () => number; take: () => number[] } {
  let taken = 0;
  return {
    left: () => Math.floor((limit - taken) / RANGE),
    take: () => {
      const from = taken;
      taken += RANGE;
      if (taken > limit) throw new Error('All quotes are paid.');
      return Array.from({ length: RANGE }, (_unused, offset) => base + (((from + offset) * STRIDE) % count));
    },
  };
}

/** Buffers that a payment touches; the least of several rounds, because background work can only add. */
export async function measurePaymentBuffers(
  database: Database,
  matcher: Matcher,
  rounds: readonly (() => Promise<readonly number[][]>)[],
): Promise<number> {
  const found: number[] = [];
  for (const round of rounds) {
    const ranges = await round();
    const before = await blocksFetched(database.pool);
    await matcher.pay(ranges);
    found.push(((await blocksFetched(database.pool)) - before) / (ranges.length * RANGE));
  }
  return Math.min(...found);
}

const SCANNED = ['quotes', 'invoices', 'transfers', 'amount_slots', 'events'];

/** Sequential scans so far of the growing tables. The connection that did the work must have flushed its statistics. */
export async function countScans(database: Database): Promise<number> {
  await database.pool.query('select pg_stat_force_next_flush()');
  const { rows } = await database.pool.query<{ scans: string }>(
    'select sum(seq_scan) as scans from pg_stat_user_tables where relname = any($1)',
    [SCANNED],
  );
  return Number(rows[0]?.scans);
}

type Written = { bare: boolean; payments: number; bodyCharacters: number };

/** Requires that every payment has all rows that follow from it; throws otherwise. */
export async function requireWritten(client: pg.Client, ours: number, bare: number): Promise<void> {
  const { rows } = await client.query<Written>(`
    select t.height < 1000000 as bare, count(*)::integer as payments, avg(length(e.body))::integer as "bodyCharacters"
    from transfers t
      join invoices i on i.paid_transfer_id = t.id and i.status = 'completed' and i.transaction_hash = t.tx_id and t.reason is null
      join quotes q on q.id = t.quote_id and q.invoice_id = i.id and q.held_to < 'infinity'
      join amount_slots s on s.network = q.network and s.token = q.token and s.address = q.to_address and s.display_units = q.display_units
        and s.held_until < 'infinity'
      join ledger_entries l on l.invoice_id = i.id and l.kind = 'capture' and l.micro_usd = i.fee_micro_usd
      join events e on e.invoice_id = i.id and e.sequence = 1 and e.body::jsonb -> 'data' ->> 'transaction_hash' = t.tx_id
      join deliveries d on d.event_row_id = e.id and d.state = 'pending'
    group by 1 order by 1`);
  const [engine, script] = rows;
  console.log(
    `rows checked: ours ${engine?.payments} (events of ${engine?.bodyCharacters} characters), bare ${script?.payments} (${script?.bodyCharacters})`,
  );
  if (engine?.payments !== ours || (script?.payments ?? 0) !== bare)
    throw new Error(`Of ${ours} payments by us and ${bare} bare ones some were not written whole.`);
}

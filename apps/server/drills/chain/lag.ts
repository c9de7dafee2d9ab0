import { closeDatabase, openDatabase } from '../../src/db/database.ts';
import type { World } from './world.ts';

/**
 * Measures how long an unpaid invoice stays open after its last network was covered past its end. Coverage and end are
 * sampled from the rows, in database time, as soon as a query shows them.
 */

const POLL_MS = 100;
/**
 * Number of polls between two queries for invoices that ended too early: the query reads all invoices, and an expired
 * invoice stays expired.
 */
const EARLY_EVERY = 10;

const SCHEMA = `
  create table drill_expiry (part text not null, invoice_id bigint not null, network text, scope text, tier text, expires_at timestamptz not null,
    registered_at timestamptz not null default clock_timestamp(), covered_at timestamptz, ended_at timestamptz);
  create index drill_expiry_open on drill_expiry (network, tier, expires_at) where covered_at is null;
  create index drill_expiry_covered on drill_expiry (invoice_id) where covered_at is not null and ended_at is null`;

const REGISTER = `
  insert into drill_expiry (part, invoice_id, network, scope, tier, expires_at)
  select $2, i.id, q.network, q.to_address, q.finality, i.expires_at from invoices i left join quotes q on q.invoice_id = i.id
  where i.trans_id = any($1)`;

const COVERED = `
  update drill_expiry d set covered_at = clock_timestamp() from chain_coverage c
  where d.covered_at is null and c.scope in ('', d.scope) and d.network = c.network and d.tier = c.tier and d.expires_at < c.block_time`;
/**
 * Sets the time from which an invoice without a quote may expire: such an invoice waits for no network, only until the
 * chains' clock ($1) has passed its end. The chains' clock runs $3 times as fast as the machine's clock ($2). On a slow
 * machine an invoice may be registered after its end; then the time of its registration counts.
 */
const COVERED_BY_CLOCK = `
  update drill_expiry set covered_at = greatest($2::timestamptz + (expires_at - $1::timestamptz) / $3, registered_at)
  where covered_at is null and network is null and expires_at < $1`;
const ENDED = `
  update drill_expiry d set ended_at = clock_timestamp() from invoices i
  where d.covered_at is not null and d.ended_at is null and i.id = d.invoice_id and i.status = 'expired'`;

/**
 * Invoices that expired while a network that they were quoted on is not covered past their end. A single query, so that
 * all rows are of one moment.
 */
const EARLY = `
  select count(distinct d.invoice_id)::integer as found from drill_expiry d join invoices i on i.id = d.invoice_id
  where d.covered_at is null and i.status = 'expired' and d.network is not null and not exists (
    select from chain_coverage c where c.scope in ('', d.scope) and c.network = d.network and c.tier = d.tier and c.block_time > d.expires_at)`;

const FIGURES = `
  with each as (
    select part, invoice_id, extract(epoch from max(ended_at) - max(covered_at))::float8 as lag,
      coalesce(bool_or(network = $1), false) as dies from drill_expiry
    group by part, invoice_id having count(*) = count(ended_at)
  )
  select count(*)::integer as ended, (select count(distinct invoice_id)::integer from drill_expiry) as registered,
    coalesce(percentile_disc(0.99) within group (order by lag) filter (where part <> 'calm'), 0) as p99,
    coalesce(percentile_disc(0.5) within group (order by lag) filter (where part <> 'calm'), 0) as p50,
    coalesce(max(lag) filter (where part <> 'calm'), 0) as most,
    coalesce(percentile_disc(0.99) within group (order by lag) filter (where part = 'calm'), 0) as "calmP99",
    coalesce(percentile_disc(0.99) within group (order by lag) filter (where part = 'dead' and not dies), 0) as "livingP99"
  from each`;

/** Invoices that were not seen to end, with what each invoice may wait for. */
const OPEN = `
  select i.trans_id || ' is ' || i.status || ', ends ' || d.expires_at || ', quoted on ' || coalesce(d.network || ' ' || d.tier, 'nothing')
    || ', covered up to ' || coalesce((select max(c.block_time)::text from chain_coverage c
      where c.network = d.network and c.tier = d.tier and c.scope in ('', d.scope)), 'nothing') as open
  from drill_expiry d join invoices i on i.id = d.invoice_id where d.ended_at is null order by d.invoice_id limit 5`;

export type LagFigures = {
  registered: number;
  ended: number;
  p50: number;
  p99: number;
  most: number;
  /** 99th percentile of the delay until expiry, for invoices that end while nothing is wrong. */
  calmP99: number;
  /** The same for invoices beside a dead network that they were not quoted on. */
  livingP99: number;
  early: number;
  /** Some of the invoices that did not end, with possible reasons. */
  open: string[];
};

export type LagPart = 'calm' | 'down' | 'dead';

export type LagWatch = {
  /** Registers invoices that stay unpaid, by the part of the drill in which they end. */
  register(part: LagPart, transIds: readonly string[]): Promise<void>;
  /** Number of invoices that were not seen to end. */
  open(): Promise<number>;
  stop(): Promise<LagFigures>;
};

export async function watchLag(world: World, dying: string): Promise<LagWatch> {
  // The watch for expired invoices has its own connections, with the session settings of reports: the watch reads
  // thousands of rows at a time, and the settings of servers, made for index scans, would make its queries slow.
  const own = openDatabase(
    { url: world.drill.url, connections: 2, name: 'counterfoil-drill', reports: true },
    () => {},
  );
  const { pool } = own;
  await pool.query(SCHEMA);
  const stop = new AbortController();
  let early = 0;
  const lookForEarly = async () => {
    const { rows } = await pool.query<{ found: number }>(EARLY);
    early = Math.max(early, rows[0]?.found ?? 0);
  };
  const run = async () => {
    for (let look = 0; !stop.signal.aborted; look += 1) {
      await pool.query(COVERED);
      await pool.query(COVERED_BY_CLOCK, [new Date(world.clock.nowMs()), new Date(), world.factor]);
      await pool.query(ENDED);
      if (look % EARLY_EVERY === 0) await lookForEarly();
      await world.pause(POLL_MS);
    }
  };
  const running = run();
  // A failure of the polls is reported when `stop` awaits them; without this handler the failure would end the process
  // before that.
  running.catch(() => {});
  return {
    register: async (part, transIds) => void (await pool.query(REGISTER, [transIds, part])),
    open: async () => {
      const { rows } = await pool.query<{ open: number }>(
        'select count(*)::integer as open from drill_expiry where ended_at is null',
      );
      return rows[0]?.open ?? 0;
    },
    stop: async () => {
      stop.abort();
      await running;
      await pool.query(ENDED);
      await lookForEarly();
      const { rows } = await pool.query<Omit<LagFigures, 'early' | 'open'>>(FIGURES, [dying]);
      const [figures] = rows;
      if (!figures) throw new Error('There are no figures of lag.');
      const { rows: left } = await pool.query<{ open: string }>(OPEN);
      await closeDatabase(own);
      return { ...figures, early, open: left.map(({ open }) => open) };
    },
  };
}

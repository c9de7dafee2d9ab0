import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { closeDatabase, openDatabase } from '../../src/db/database.ts';
import { findNetwork } from '../../rig/chains/networks.ts';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import { roleUrl } from '../../rig/database/role-database.ts';
import { BARE_CHAIN_SEED, runBareMatch } from './pgbench-baseline.ts';
import { compareExpiry } from './expire.ts';
import type { Matcher } from './payments.ts';
import { countScans, createMatcher, createUnpaid, measurePaymentBuffers, RANGE, requireWritten } from './payments.ts';
import { readFromAnvil, readFromCannedNode } from './read.ts';
import { MATCH_NETWORK, seedCoveredChain, seedEndpoints, seedOpenQuotes, STORES } from './seed.ts';
import { seedStores } from '../../rig/invoices/seed-invoices.ts';
import { median } from '../../rig/report/percentile.ts';

/**
 * Measures reading, matching, settling and expiring against the same rows written by pgbench, alternating in one run.
 */

const quick = process.argv.includes('--quick');
const FEW_QUOTES = 1_000;
const MANY_QUOTES = quick ? 100_000 : 1_000_000;
const BUFFER_ROUNDS = 3;
/**
 * Warm-up rounds, so that tables of past rows are equally deep in both measurements: only the number of open quotes may
 * differ.
 */
const WARM_ROUNDS = 2;
const BUFFER_RANGES = 2;
const MATCH_ROUNDS = quick ? 3 : 15;
const MATCH_RANGES = quick ? 4 : 8;
const READ_SECONDS = quick ? 1 : 10;
const EXPIRY_ROUNDS = quick ? 3 : 5;
const EXPIRY_INVOICES = quick ? 2_000 : 20_000;
const REFILL_QUOTES = 100_000;
const REPORT_EVERY_MS = 10_000;
const MEGABYTE = 1_048_576;

const minutesAt = process.argv.indexOf('--minutes');
const LOOP_SECONDS = minutesAt > 0 ? Number(process.argv[minutesAt + 1]) * 60 : quick ? 2 : 60;

type Bench = {
  database: Database;
  client: pg.Client;
  matcher: Matcher;
  binaries: string;
  url: string;
  /** First quote number that is not seeded yet. */
  next: number;
  paid: { ours: number; bare: number };
};

async function seedMore(bench: Bench, count: number): Promise<{ base: number; count: number }> {
  const base = bench.next;
  bench.next += count;
  await seedOpenQuotes(bench.client, base, bench.next);
  return { base, count };
}

async function pay(bench: Bench, ranges: number[][]): Promise<number> {
  const seconds = await bench.matcher.pay(ranges);
  bench.paid.ours += ranges.length * RANGE;
  return seconds;
}

type Unpaid = ReturnType<typeof createUnpaid>;
const takeRanges = (unpaid: Unpaid, count: number) => Array.from({ length: count }, () => unpaid.take());

/**
 * Measures buffers per payment with few quotes open, then with many; the first half of those is left for the engine.
 */
async function measureGrowth(bench: Bench): Promise<{ growth: number; unpaid: Unpaid; base: number }> {
  const rounds = Array.from({ length: BUFFER_ROUNDS });
  const counted = { pay: (ranges: readonly (readonly number[])[]) => pay(bench, ranges as number[][]) };
  const fewRound = async () => takeRanges(createUnpaid(await seedMore(bench, FEW_QUOTES), FEW_QUOTES), 1);
  for (let warm = 0; warm < WARM_ROUNDS; warm += 1) await pay(bench, await fewRound());
  const few = await measurePaymentBuffers(
    bench.database,
    counted,
    rounds.map(() => fewRound),
  );
  const many = await seedMore(bench, MANY_QUOTES);
  const unpaid = createUnpaid(many, MANY_QUOTES / 2);
  const manyRound = async () => takeRanges(unpaid, BUFFER_RANGES);
  const grown = await measurePaymentBuffers(
    bench.database,
    counted,
    rounds.map(() => manyRound),
  );
  console.log(`${FEW_QUOTES} open quotes: a payment touches ${few.toFixed(1)} buffers`);
  console.log(`${MANY_QUOTES} open quotes: a payment touches ${grown.toFixed(1)} buffers`);
  return { growth: grown / few, unpaid, base: many.base };
}

async function compareMatching(
  bench: Bench,
  unpaid: Unpaid,
  base: number,
): Promise<{ perSecond: number; ratio: number }> {
  const quotes = { base, count: MANY_QUOTES };
  const found: { ours: number; bare: number }[] = [];
  for (let round = 0; round < MATCH_ROUNDS; round += 1) {
    const firstBlock = MANY_QUOTES / 2 / RANGE + round * MATCH_RANGES;
    const bare = runBareMatch(bench.binaries, bench.url, { quotes, firstBlock, blocks: MATCH_RANGES, range: RANGE });
    bench.paid.bare += MATCH_RANGES * RANGE;
    const ours = (MATCH_RANGES * RANGE) / (await pay(bench, takeRanges(unpaid, MATCH_RANGES)));
    const line = `match round ${round + 1}: bare ${bare.toFixed(0)}/s, ours ${ours.toFixed(0)}/s`;
    console.log(`${line}, ratio ${(ours / bare).toFixed(3)}`);
    found.push({ ours, bare });
  }
  return {
    perSecond: median(found.map(({ ours }) => ours)),
    ratio: median(found.map(({ ours, bare }) => ours / bare)),
  };
}

const residentMegabytes = () => Math.round(process.memoryUsage().rss / MEGABYTE);

/** Matches payments for the given time, and adds quotes as they are used up. */
async function watchMemory(bench: Bench, given: Unpaid): Promise<void> {
  let unpaid = given;
  let seconds = 0;
  let payments = 0;
  let reportedAt = performance.now();
  console.log(`memory: ${residentMegabytes()} MB at the start of ${LOOP_SECONDS} s of matching`);
  while (seconds < LOOP_SECONDS) {
    if (unpaid.left() < MATCH_RANGES) unpaid = createUnpaid(await seedMore(bench, REFILL_QUOTES), REFILL_QUOTES);
    seconds += await pay(bench, takeRanges(unpaid, MATCH_RANGES));
    payments += MATCH_RANGES * RANGE;
    if (performance.now() - reportedAt < REPORT_EVERY_MS) continue;
    reportedAt = performance.now();
    console.log(
      `memory: ${residentMegabytes()} MB after ${seconds.toFixed(0)} s, ${(payments / seconds).toFixed(0)}/s`,
    );
  }
  console.log(
    `memory: ${residentMegabytes()} MB at the end, ${payments} payments, ${(payments / seconds).toFixed(0)}/s`,
  );
}

async function compareExpiries(bench: Bench): Promise<number> {
  await seedCoveredChain(bench.client);
  const ratios: number[] = [];
  for (let round = 1; round <= EXPIRY_ROUNDS; round += 1) {
    const { bare, ours } = await compareExpiry(bench.database, bench.client, bench, bench.next, EXPIRY_INVOICES);
    bench.next += 2 * EXPIRY_INVOICES;
    ratios.push(ours / bare);
    console.log(
      `expire round ${round}: bare ${bare.toFixed(0)}/s, ours ${ours.toFixed(0)}/s, ratio ${(ours / bare).toFixed(3)}`,
    );
  }
  return median(ratios);
}

async function runMatching(bench: Bench): Promise<Record<string, number>> {
  await bench.client.query(BARE_CHAIN_SEED);
  const scansBefore = await countScans(bench.database);
  const { growth, unpaid, base } = await measureGrowth(bench);
  const { perSecond, ratio } = await compareMatching(bench, unpaid, base);
  const scans = (await countScans(bench.database)) - scansBefore;
  console.log(`sequential scans while matching: ${scans}`);
  if (scans > 0) throw new Error('A table that grows was read as a whole.');
  await watchMemory(bench, unpaid);
  await requireWritten(bench.client, bench.paid.ours, bench.paid.bare);
  const expireRatio = await compareExpiries(bench);
  return { match_per_s: perSecond, match_ratio: ratio, match_buffers_growth: growth, expire_ratio: expireRatio };
}

async function runBench(url: string): Promise<Record<string, number>> {
  const network = findNetwork(MATCH_NETWORK);
  if (!network) throw new Error(`${MATCH_NETWORK} is unknown.`);
  // With one connection, its statistics are complete when it flushes them.
  const worker = { url: roleUrl(url, 'worker'), settingsOnRole: true };
  const database = openDatabase({ ...worker, connections: 1, name: 'counterfoil-bench' }, () => {});
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const canned = await readFromCannedNode(network, READ_SECONDS);
    console.log(`read and dropped from a canned node: ${canned.toFixed(0)} transfers/s`);
    const anvil = await readFromAnvil(network, READ_SECONDS);
    console.log(`read and dropped from anvil: ${anvil.toFixed(0)} transfers/s`);
    await seedStores(client, STORES);
    await seedEndpoints(client);
    const matcher = await createMatcher(database, network);
    const binaries = process.env['COUNTERFOIL_POSTGRES_BIN'] ?? '/usr/bin';
    const figures = await runMatching({
      database,
      client,
      matcher,
      binaries,
      url,
      next: 0,
      paid: { ours: 0, bare: 0 },
    });
    return { read_per_s: canned, ...figures, open_quotes: MANY_QUOTES };
  } finally {
    await client.end();
    await closeDatabase(database);
  }
}

const measured = await withDrillDatabase(({ url }) => runBench(url));
const rounded = Object.entries(measured).map(([key, value]) => [key, Number(value.toFixed(value < 100 ? 3 : 0))]);
console.log(JSON.stringify(Object.fromEntries(rounded)));

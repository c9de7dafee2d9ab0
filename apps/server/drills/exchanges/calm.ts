import { percentile } from '../../rig/report/percentile.ts';
import type { Gaps } from '../../rig/report/watch-gaps.ts';
import { watchGaps } from '../../rig/report/watch-gaps.ts';
import type { Entry } from './book.ts';
import { anchor, openBook, order } from './book.ts';
import type { World } from './world.ts';
import { waitUntil } from './world.ts';

/**
 * The calm part of the exchange drill, in real time and without faults: measures the time from a row's appearing in a
 * statement to the completion of its invoice.
 */

export type CalmSizes = { payments: number; overMs: number };

export type CalmFigures = {
  payments: number;
  completed: number;
  lost: number;
  seen_p99_ms: number;
  /** Time between two reads of an exchange account, p99 of this run. */
  poll_p99_ms: number;
};

const FOLLOW_TIMEOUT_MS = 60_000;
const WATCH_MS = 50;
const WATCH_POLLS_MS = 200;
const END_MS = 60_000;
const AT_ONCE = 10;

/** Waits until every exchange account is followed and was read: the part measures following, not its start. */
async function untilFollowed(world: World): Promise<void> {
  const isFollowed = async () => {
    const { rows } = await world.drill.database.pool.query(
      `select from followed_accounts where state = 'following' and height > 0 and read_at is not null`,
    );
    return rows.length === world.places.length;
  };
  if (!(await waitUntil(world, FOLLOW_TIMEOUT_MS, isFollowed))) throw new Error('Not every account is followed.');
}

/** Notes when each invoice was first seen as completed, by a query of the drill. */
async function watchCompletions(world: World, seen: Map<string, number>, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { rows } = await world.drill.database.pool.query<{ transId: string }>(
      `select trans_id as "transId" from invoices where status = 'completed'`,
    );
    const nowMs = performance.now();
    for (const { transId } of rows) if (!seen.has(transId)) seen.set(transId, nowMs);
    await world.pause(WATCH_MS);
  }
}

/** Notes when each exchange account was read, as the database records it. */
async function watchPolls({ drill, pause }: World, polls: Gaps, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const { rows } = await drill.database.pool.query<{ name: string; readAt: Date }>(
      `select network || ' ' || account as name, read_at as "readAt" from followed_accounts where read_at is not null`,
    );
    for (const { name, readAt } of rows) polls.note(name, readAt.getTime());
    await pause(WATCH_POLLS_MS);
  }
}

/** Pays placed invoices by rows that are visible at once, and notes the times of payment. */
async function payAll(world: World, sizes: CalmSizes, paidAt: Map<Entry, number>): Promise<void> {
  const book = openBook();
  const startedMs = performance.now();
  for (let done = 0; done < sizes.payments; done += AT_ONCE) {
    const count = Math.min(AT_ONCE, sizes.payments - done);
    const wanted = Array.from({ length: count }, (_unused, index) => {
      const place = world.places[(done + index) % world.places.length];
      if (!place) throw new Error('There is no account.');
      return { place, name: 'plain' as const };
    });
    const dueMs = startedMs + (done / sizes.payments) * sizes.overMs;
    await world.pause(Math.max(0, dueMs - performance.now()));
    const { entries, paid } = await order(world, book, wanted);
    const nowMs = performance.now();
    await paid;
    for (const entry of entries) paidAt.set(entry, nowMs);
  }
}

export async function drillCalm(world: World, sizes: CalmSizes): Promise<CalmFigures> {
  await anchor(world, openBook());
  await untilFollowed(world);
  world.say(`${world.places.length} accounts are followed, ${sizes.payments} will be paid, and nothing goes wrong`);
  const seen = new Map<string, number>();
  const paidAt = new Map<Entry, number>();
  let over = false;
  const polls = watchGaps();
  const watching = Promise.all([watchCompletions(world, seen, () => over), watchPolls(world, polls, () => over)]);
  await payAll(world, sizes, paidAt);
  const isSeen = () => [...paidAt.keys()].every(({ invoice }) => seen.has(invoice.transId));
  await waitUntil(world, END_MS, isSeen);
  over = true;
  await watching;
  const measured = [...paidAt].flatMap(([{ invoice }, paidMs]) => {
    const seenMs = seen.get(invoice.transId);
    return seenMs === undefined ? [] : [{ network: invoice.place.network, ms: seenMs - paidMs }];
  });
  const times = measured.map(({ ms }) => ms);
  for (const [network, own] of Map.groupBy(measured, (one) => one.network)) {
    const slowest = Math.max(...own.map(({ ms }) => ms));
    world.say(`${network}: ${own.length} completed, the last ${Math.round(slowest)} ms after its row appeared`);
  }
  for (const fake of world.fakes) {
    const { refused, bans } = fake.counts();
    if (refused + bans > 0) world.faults.add(`${fake.platform} refused ${refused} requests, ${bans} by a ban`);
  }
  const [median, p99] = [0.5, 0.99].map((share) => Math.round(percentile(times, share, Number.POSITIVE_INFINITY)));
  world.say(`${times.length} completed, ${median} ms (median) and ${p99} ms (p99) after their rows appeared`);
  const pollMs = Math.round(polls.p99Ms());
  world.say(`an account is read every ${pollMs} ms (p99)`);
  const lost = sizes.payments - times.length;
  return { payments: sizes.payments, completed: times.length, lost, seen_p99_ms: p99 ?? 0, poll_p99_ms: pollMs };
}

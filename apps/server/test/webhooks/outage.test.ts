import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { writeEvents } from '../../drills/webhooks-events.ts';
import type { Outbound } from '../../src/lib/outbound-http.ts';
import { probeEndpoints } from '../../src/webhooks/probe-endpoints.ts';
import { readWebhookHealth } from '../../src/webhooks/webhook-health-sql.ts';
import type { Desk } from './desk.ts';
import { dispatchUntil, endInvoices, nothingPending, openDesk, rowsOf, storeOf, urlOf } from './desk.ts';

/** A merchant that is away for days, and merchants who would use us to flood somebody. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const PER_ENDPOINT = 4;
const PER_HOST = 16;
const PER_STORE = 32;
/** Of those that have not answered well. */
const PER_UNPROVEN_HOST = 8;
const PER_UNPROVEN_STORE = 2;
const PULLED_PER_SECOND = 20;

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk(6);
});
afterAll(() => desk.close());
beforeEach(async () => {
  desk.receiver.received.length = 0;
  desk.receiver.mood = () => 'good';
  await desk.database.pool.query(`update deliveries set state = 'failed' where state = 'pending'`);
});

type Watched = { outbound: Outbound; most: Record<string, number>; inFlight: () => number };

/** Counts what is under way at once, by what `nameOf` says of its address. */
function watch(nameOf: (url: URL) => string, post: Outbound['post']): Watched {
  const now = new Map<string, number>();
  const most: Record<string, number> = {};
  const counted: Outbound['post'] = async (url, request) => {
    const name = nameOf(new URL(url));
    const count = (now.get(name) ?? 0) + 1;
    now.set(name, count);
    most[name] = Math.max(most[name] ?? 0, count);
    try {
      return await post(url, request);
    } finally {
      now.set(name, (now.get(name) ?? 0) - 1);
    }
  };
  const inFlight = () => [...now.values()].reduce((sum, count) => sum + count, 0);
  return { outbound: { ...desk.outbound, post: counted }, most, inFlight };
}

async function nextDueMs(): Promise<number> {
  const [row] = await rowsOf<{ next: Date }>(
    desk,
    `select min(next_attempt_at) as next from deliveries where state = 'pending'`,
  );
  return row?.next.getTime() ?? 0;
}

/** Everything that is due has been tried. */
const nothingDue = async () =>
  (
    await rowsOf(
      desk,
      `select from deliveries where state = 'pending' and (next_attempt_at <= $1 or leased_until > now()) limit 1`,
      [new Date(desk.clock.nowMs())],
    )
  ).length === 0;

test('a merchant that was down for three days has everything within minutes of its return, spaced, though no retry is due', async () => {
  const url = urlOf(desk, 'shop');
  const orders = 50;
  await endInvoices(desk, url, ...Array.from({ length: orders }, () => 'expired' as const));
  desk.receiver.mood = () => 'failing';
  const downUntilMs = desk.clock.nowMs() + 3 * DAY_MS;
  for (;;) {
    await dispatchUntil(desk, nothingDue);
    const nextMs = await nextDueMs();
    if (nextMs > downUntilMs) break;
    desk.clock.advance(Math.max(0, nextMs - desk.clock.nowMs()));
  }
  desk.clock.advance(Math.max(0, downUntilMs - desk.clock.nowMs()));
  expect((await nextDueMs()) - desk.clock.nowMs()).toBeGreaterThan(3_600_000);
  expect(await rowsOf(desk, `select from deliveries where state = 'pending'`)).toHaveLength(orders);

  desk.receiver.mood = () => 'good';
  desk.receiver.received.length = 0;
  const backAtMs = desk.clock.nowMs();
  const watched = watch(
    (one) => one.pathname,
    (target, request) => desk.outbound.post(target, request),
  );
  const perSecond: number[] = [];
  while (!(await nothingPending(desk)())) {
    await probeEndpoints(desk.as('worker'), desk.clock);
    const before = desk.receiver.received.length;
    await dispatchUntil(desk, nothingDue, watched.outbound);
    perSecond.push(desk.receiver.received.length - before);
    desk.clock.advance(1_000);
  }
  expect(desk.clock.nowMs() - backAtMs).toBeLessThanOrEqual(6 * MINUTE_MS);
  expect(desk.receiver.received).toHaveLength(orders);
  expect(new Set(desk.receiver.received.map(({ eventId }) => eventId)).size).toBe(orders);
  expect(Math.max(...perSecond)).toBeLessThanOrEqual(PULLED_PER_SECOND + 1);
  expect(watched.most[new URL(url).pathname]).toBeLessThanOrEqual(PER_ENDPOINT);
});

type Pending = { attempts: number; unscheduled: number; probes: number; next: Date };

async function pendingOf(): Promise<Pending | undefined> {
  const [row] = await rowsOf<Pending>(
    desk,
    `select attempts, unscheduled, probes, next_attempt_at as next from deliveries where state = 'pending'`,
  );
  return row;
}

/** One event whose next attempt by the schedule is hours away. */
async function failForHours(name: string): Promise<Pending | undefined> {
  await endInvoices(desk, urlOf(desk, name), 'expired');
  desk.receiver.mood = () => 'failing';
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    desk.clock.advance(Math.max(0, (await nextDueMs()) - desk.clock.nowMs()));
    await dispatchUntil(desk, nothingDue);
  }
  return pendingOf();
}

test('asking whether an endpoint is back comes every five minutes at most and costs the schedule nothing', async () => {
  const before = await failForHours('probed');
  const probed: number[] = [];
  for (let minute = 0; minute < 20; minute += 1) {
    probed.push((await probeEndpoints(desk.as('worker'), desk.clock)).probed);
    await dispatchUntil(desk, nothingDue);
    desk.clock.advance(MINUTE_MS);
  }
  expect(probed.reduce((sum, count) => sum + count, 0)).toBe(4);
  const after = await pendingOf();
  expect(after).toEqual({ ...before, attempts: 9, probes: 4 });
  desk.clock.advance((before?.next.getTime() ?? 0) - desk.clock.nowMs());
  await dispatchUntil(desk, nothingDue);
  expect(await pendingOf()).toMatchObject({ attempts: 10, unscheduled: 0, probes: 4 });
});

test('what is due and what fails can be seen', async () => {
  const before = await readWebhookHealth(desk.as('worker').queries, new Date(desk.clock.nowMs()));
  await endInvoices(desk, urlOf(desk, 'seen'), 'expired');
  desk.clock.advance(5_000);
  const due = await readWebhookHealth(desk.as('worker').queries, new Date(desk.clock.nowMs()));
  expect(due).toEqual({ ...before, oldestDueSeconds: 5 });
  desk.receiver.mood = () => 'failing';
  await dispatchUntil(desk, nothingDue);
  const failed = await readWebhookHealth(desk.as('worker').queries, new Date(desk.clock.nowMs()));
  expect(failed).toEqual({ oldestDueSeconds: 0, failingEndpoints: before.failingEndpoints + 1 });
});

test('a receiver that asked to be left alone is not asked before', async () => {
  await failForHours('quiet');
  // Asks for an hour.
  desk.receiver.mood = () => 'busy';
  expect(await probeEndpoints(desk.as('worker'), desk.clock)).toMatchObject({ probed: 1 });
  await dispatchUntil(desk, nothingDue);
  desk.clock.advance(59 * MINUTE_MS);
  expect(await probeEndpoints(desk.as('worker'), desk.clock)).toMatchObject({ probed: 0 });
  desk.clock.advance(2 * MINUTE_MS);
  expect(await probeEndpoints(desk.as('worker'), desk.clock)).toMatchObject({ probed: 1 });
});

/** Answers well at once until it holds; then everything stays under way until it is let go. */
function hold(): { post: Outbound['post']; begin: () => void; letGo: () => void } {
  const gate = Promise.withResolvers<void>();
  let holds = false;
  const post = async () => {
    if (holds) await gate.promise;
    return { status: 200, retryAfter: undefined, excerpt: '', durationMs: 1 };
  };
  const begin = () => {
    holds = true;
  };
  return { post, begin, letGo: gate.resolve };
}

type Flood = { urls: readonly string[]; stores: number };

async function tell({ urls, stores }: Flood): Promise<void> {
  const wanted = urls.map((url, index) => ({
    endpoint: { store: storeOf(desk, index % stores), url, path: '' },
    ending: 'expired' as const,
  }));
  await writeEvents(desk.database, desk.clock, wanted, new Map());
}

/**
 * Dispatches until the dispatcher looks for due deliveries and takes none: no more will be under way at once. `known` are
 * deliveries that were answered with 200 before the flood, so that their receivers count as proven.
 */
async function mostAtOnce(
  nameOf: (url: URL) => string,
  { known, flood, expected }: { known?: Flood; flood: Flood; expected: number },
): Promise<Record<string, number>> {
  const held = hold();
  const watched = watch(nameOf, held.post);
  if (known) await tell(known);
  let flooded = false;
  let looks = 0;
  await dispatchUntil(
    desk,
    async () => {
      if (!flooded && (await nothingPending(desk)())) {
        flooded = true;
        held.begin();
        await tell(flood);
      }
      if (watched.inFlight() >= expected) looks += 1;
      // A hundred milliseconds and more: two looks of the dispatcher.
      if (looks === 40) held.letGo();
      return looks >= 40;
    },
    watched.outbound,
  );
  return watched.most;
}

test('a thousand invoices of many stores at one host, each with a path of its own: sixteen at once', async () => {
  const urls = Array.from({ length: 1_000 }, (_, index) => `https://victim.example/${index}`);
  const counts = await mostAtOnce((url) => url.host, {
    known: { urls: urls.slice(0, 6), stores: 6 },
    flood: { urls: urls.slice(6), stores: 6 },
    expected: PER_HOST,
  });
  expect(counts).toEqual({ 'victim.example': PER_HOST });
});

test('a host that never answered has eight at once', async () => {
  const urls = Array.from({ length: 200 }, (_, index) => `https://stranger.example/${index}`);
  const counts = await mostAtOnce((url) => url.host, { flood: { urls, stores: 6 }, expected: PER_UNPROVEN_HOST });
  expect(counts).toEqual({ 'stranger.example': PER_UNPROVEN_HOST });
});

test('case, ports that are the default, logins and dots do not make another host of it', async () => {
  const spellings = [
    'victim2.example',
    'VICTIM2.example',
    'victim2.example:443',
    'user:word@victim2.example',
    'victim2.example.',
  ];
  const urls = Array.from({ length: 200 }, (_, index) => `https://${spellings[index % spellings.length]}/${index}`);
  const counts = await mostAtOnce((url) => url.hostname.replace(/\.$/, ''), {
    known: { urls: urls.slice(0, 6), stores: 6 },
    flood: { urls: urls.slice(6), stores: 6 },
    expected: PER_HOST,
  });
  expect(counts).toEqual({ 'victim2.example': PER_HOST });
});

test('one store with many subdomains that answered has thirty-two under way, whatever they stand for', async () => {
  const urls = Array.from({ length: 60 }, (_, index) => `https://shop-${index}.victim.example/`);
  const counts = await mostAtOnce(() => 'all', {
    known: { urls, stores: 1 },
    flood: { urls: Array.from({ length: 300 }, (_, index) => `${urls[index % urls.length]}${index}`), stores: 1 },
    expected: PER_STORE,
  });
  expect(counts).toEqual({ all: PER_STORE });
});

test('one store with a subdomain for each invoice, none of which ever answered, has two under way', async () => {
  const urls = Array.from({ length: 300 }, (_, index) => `https://new-${index}.victim.example/`);
  const counts = await mostAtOnce(() => 'all', { flood: { urls, stores: 1 }, expected: PER_UNPROVEN_STORE });
  expect(counts).toEqual({ all: PER_UNPROVEN_STORE });
});

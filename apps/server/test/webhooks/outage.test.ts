import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { writeEvents } from '../../rig/webhooks/write-events.ts';
import type { Outbound } from '../../src/lib/outbound-http.ts';
import { watchPosts } from '../../rig/webhooks/watch-posts.ts';
import { probeEndpoints } from '../../src/webhooks/probe-endpoints.ts';
import { readWebhookHealth } from '../../src/webhooks/webhook-health-sql.ts';
import type { WebhookFixture } from '../../rig/webhooks/webhook-fixture.ts';
import {
  dispatchUntil,
  endInvoices,
  nothingPending,
  openWebhookFixture,
  rowsOf,
  storeOf,
  urlOf,
} from '../../rig/webhooks/webhook-fixture.ts';

/** A merchant that is down for days, and merchants who would use us to flood others. */

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const PER_ENDPOINT = 4;
const PER_HOST = 16;
const PER_STORE = 32;
/** Caps for receivers that have not answered well yet. */
const PER_UNPROVEN_HOST = 8;
const PER_UNPROVEN_STORE = 2;
const PULLED_PER_SECOND = 20;

let fixture: WebhookFixture;
beforeAll(async () => {
  fixture = await openWebhookFixture(inject('template'), 6);
});
afterAll(() => fixture.close());
beforeEach(async () => {
  fixture.receiver.received.length = 0;
  fixture.receiver.mood = () => 'good';
  await fixture.database.pool.query(`update deliveries set state = 'failed' where state = 'pending'`);
});

async function nextDueMs(): Promise<number> {
  const [row] = await rowsOf<{ next: Date }>(
    fixture,
    `select min(next_attempt_at) as next from deliveries where state = 'pending'`,
  );
  return row?.next.getTime() ?? 0;
}

/** Whether every due delivery has been tried. */
const nothingDue = async () =>
  (
    await rowsOf(
      fixture,
      `select from deliveries where state = 'pending' and (next_attempt_at <= $1 or leased_until > now()) limit 1`,
      [new Date(fixture.clock.nowMs())],
    )
  ).length === 0;

test('a merchant that was down for three days has everything within minutes of its return, spaced, though no retry is due', async () => {
  const url = urlOf(fixture, 'shop');
  const orders = 50;
  await endInvoices(fixture, url, ...Array.from({ length: orders }, () => 'expired' as const));
  fixture.receiver.mood = () => 'failing';
  const downUntilMs = fixture.clock.nowMs() + 3 * DAY_MS;
  for (;;) {
    await dispatchUntil(fixture, nothingDue);
    const nextMs = await nextDueMs();
    if (nextMs > downUntilMs) break;
    fixture.clock.advance(Math.max(0, nextMs - fixture.clock.nowMs()));
  }
  fixture.clock.advance(Math.max(0, downUntilMs - fixture.clock.nowMs()));
  expect((await nextDueMs()) - fixture.clock.nowMs()).toBeGreaterThan(3_600_000);
  expect(await rowsOf(fixture, `select from deliveries where state = 'pending'`)).toHaveLength(orders);

  fixture.receiver.mood = () => 'good';
  fixture.receiver.received.length = 0;
  const backAtMs = fixture.clock.nowMs();
  const watched = watchPosts(fixture.outbound, (one) => one.pathname);
  const perSecond: number[] = [];
  while (!(await nothingPending(fixture)())) {
    await probeEndpoints({ database: fixture.as('worker'), clock: fixture.clock });
    const before = fixture.receiver.received.length;
    await dispatchUntil(fixture, nothingDue, { outbound: watched.outbound });
    perSecond.push(fixture.receiver.received.length - before);
    fixture.clock.advance(1_000);
  }
  expect(fixture.clock.nowMs() - backAtMs).toBeLessThanOrEqual(6 * MINUTE_MS);
  expect(fixture.receiver.received).toHaveLength(orders);
  expect(new Set(fixture.receiver.received.map(({ eventId }) => eventId)).size).toBe(orders);
  expect(Math.max(...perSecond)).toBeLessThanOrEqual(PULLED_PER_SECOND + 1);
  expect(watched.most[new URL(url).pathname]).toBeLessThanOrEqual(PER_ENDPOINT);
});

type Pending = { attempts: number; unscheduled: number; probes: number; next: Date };

async function pendingOf(): Promise<Pending | undefined> {
  const [row] = await rowsOf<Pending>(
    fixture,
    `select attempts, unscheduled, probes, next_attempt_at as next from deliveries where state = 'pending'`,
  );
  return row;
}

/** Makes one event whose next scheduled attempt is hours away. */
async function failForHours(name: string): Promise<Pending | undefined> {
  await endInvoices(fixture, urlOf(fixture, name), 'expired');
  fixture.receiver.mood = () => 'failing';
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    fixture.clock.advance(Math.max(0, (await nextDueMs()) - fixture.clock.nowMs()));
    await dispatchUntil(fixture, nothingDue);
  }
  return pendingOf();
}

test('asking whether an endpoint is back comes every five minutes at most and costs the schedule nothing', async () => {
  const before = await failForHours('probed');
  const probed: number[] = [];
  for (let minute = 0; minute < 20; minute += 1) {
    probed.push((await probeEndpoints({ database: fixture.as('worker'), clock: fixture.clock })).probed);
    await dispatchUntil(fixture, nothingDue);
    fixture.clock.advance(MINUTE_MS);
  }
  expect(probed.reduce((sum, count) => sum + count, 0)).toBe(4);
  const after = await pendingOf();
  expect(after).toEqual({ ...before, attempts: 9, probes: 4 });
  fixture.clock.advance((before?.next.getTime() ?? 0) - fixture.clock.nowMs());
  await dispatchUntil(fixture, nothingDue);
  expect(await pendingOf()).toMatchObject({ attempts: 10, unscheduled: 0, probes: 4 });
});

test('the age of the oldest due delivery and the failing endpoints can be seen', async () => {
  const before = await readWebhookHealth(fixture.as('worker').queries, new Date(fixture.clock.nowMs()));
  await endInvoices(fixture, urlOf(fixture, 'seen'), 'expired');
  fixture.clock.advance(3_000);
  await endInvoices(fixture, urlOf(fixture, 'seen'), 'expired');
  fixture.clock.advance(2_000);
  const due = await readWebhookHealth(fixture.as('worker').queries, new Date(fixture.clock.nowMs()));
  expect(due).toEqual({ ...before, oldestDueSeconds: 5 });
  fixture.receiver.mood = () => 'failing';
  await dispatchUntil(fixture, nothingDue);
  const failed = await readWebhookHealth(fixture.as('worker').queries, new Date(fixture.clock.nowMs()));
  expect(failed).toEqual({ oldestDueSeconds: 0, failingEndpoints: before.failingEndpoints + 1 });
});

test('a receiver that asked for a pause is not asked before its end', async () => {
  await failForHours('quiet');
  // A busy receiver asks for an hour of pause.
  fixture.receiver.mood = () => 'busy';
  expect(await probeEndpoints({ database: fixture.as('worker'), clock: fixture.clock })).toMatchObject({ probed: 1 });
  await dispatchUntil(fixture, nothingDue);
  fixture.clock.advance(59 * MINUTE_MS);
  expect(await probeEndpoints({ database: fixture.as('worker'), clock: fixture.clock })).toMatchObject({ probed: 0 });
  fixture.clock.advance(2 * MINUTE_MS);
  expect(await probeEndpoints({ database: fixture.as('worker'), clock: fixture.clock })).toMatchObject({ probed: 1 });
});

/** A sender that succeeds until `begin`; then requests stay in flight until `letGo`. */
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
    endpoint: { store: storeOf(fixture, index % stores), url, path: '' },
    ending: 'expired' as const,
  }));
  await writeEvents(fixture.database, fixture.clock, wanted, new Map());
}

/** Claims that begin while `expected` requests are held: all but the last are made, and would exceed a wrong cap. */
const CLAIMS_AT_CAP = 3;

/**
 * Dispatches until claims no longer change the number of held requests. Requests are released only when nothing is
 * claimed, because a claim in progress may already count their receivers as proven. `known` are deliveries answered
 * with 200 before the flood, so that their receivers are proven.
 */
async function mostAtOnce(
  nameOf: (url: URL) => string,
  { known, flood, expected }: { known?: Flood; flood: Flood; expected: number },
): Promise<Record<string, number>> {
  const held = hold();
  const watched = watchPosts({ ...fixture.outbound, post: held.post }, nameOf);
  if (known) await tell(known);
  let flooded = false;
  let claims = 0;
  const mayClaim = () => {
    if (flooded && watched.inFlight() >= expected) claims += 1;
    return claims < CLAIMS_AT_CAP;
  };
  await dispatchUntil(
    fixture,
    async () => {
      if (!flooded && (await nothingPending(fixture)())) {
        flooded = true;
        held.begin();
        await tell(flood);
      }
      if (claims < CLAIMS_AT_CAP) return false;
      held.letGo();
      return true;
    },
    { outbound: watched.outbound, mayClaim },
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

import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { Wanted } from '../../rig/webhooks/write-events.ts';
import { writeEvents } from '../../rig/webhooks/write-events.ts';
import type { Outbound } from '../../src/lib/outbound-http.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { WebhookFixture } from '../../rig/webhooks/webhook-fixture.ts';
import { dispatchUntil, openWebhookFixture, rowsOf, storeOf, urlOf } from '../../rig/webhooks/webhook-fixture.ts';

/** Receivers of many stores that take requests and never answer: how many slots that leaves to others. */

const SILENT_STORES = 20;
const HOSTS_PER_STORE = 3;
const EVENTS_PER_HOST = 10;
const ALL_PLACES = 128;
const STEADY_LOOKS = 60;

let fixture: WebhookFixture;
beforeEach(async () => {
  fixture = await openWebhookFixture(inject('template'), SILENT_STORES + 2);
});
afterEach(async () => {
  await fixture.close();
});

const silentStores = () => fixture.stores.slice(0, SILENT_STORES);

function silentEvents(store: TestStore, events: number, hosts = HOSTS_PER_STORE): Wanted[] {
  return Array.from({ length: hosts * events }, (_unused, index) => {
    const path = `/${store.id}/order-${index}`;
    return {
      endpoint: { store, url: `http://silent-${index % hosts}-of-${store.id}.example${path}`, path },
      ending: 'expired',
    };
  });
}

async function tellSilent(events = EVENTS_PER_HOST, hosts = HOSTS_PER_STORE): Promise<void> {
  for (const store of silentStores())
    await writeEvents(fixture.database, fixture.clock, silentEvents(store, events, hosts), new Map());
}

/** Holds requests to silent hosts until the test answers them; others go to the fixture's receiver. */
function createSilence() {
  const held = new Set<() => void>();
  let silent = true;
  let most = 0;
  const outbound: Outbound = {
    ...fixture.outbound,
    post: (url, request) => {
      if (!url.includes('//silent-')) return fixture.outbound.post(url, request);
      if (!silent) return Promise.resolve({ status: 200, retryAfter: undefined, excerpt: '', durationMs: 1 });
      const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<Outbound['post']>>>();
      const release = () => {
        held.delete(release);
        resolve({ error: 'timeout', message: 'no answer', durationMs: 15_000 });
      };
      held.add(release);
      most = Math.max(most, held.size);
      return promise;
    },
  };
  return {
    outbound,
    held: () => held.size,
    most: () => most,
    release: () => held.forEach((release) => release()),
    setSilent: (now: boolean) => {
      silent = now;
    },
  };
}

type Silence = ReturnType<typeof createSilence>;

const receivedOf = (store: TestStore) =>
  fixture.receiver.received.filter((one) => one.path.startsWith(`/${store.id}/`)).length;

async function tellHealthy(store: TestStore, name: string): Promise<void> {
  const url = urlOf(fixture, name, store);
  const endpoint = { store, url, path: new URL(url).pathname };
  await writeEvents(fixture.database, fixture.clock, [{ endpoint, ending: 'expired' }], new Map());
}

const nothingDue = async () => {
  const text = `select from deliveries where state = 'pending' and next_attempt_at <= $1`;
  return (await rowsOf(fixture, text, [new Date(fixture.clock.nowMs())])).length === 0;
};

/** Dispatches until `done`; then answers every hanging request, so that the dispatcher can stop. */
async function dispatchAside(silence: Silence, done: () => boolean): Promise<void> {
  await dispatchUntil(
    fixture,
    () => {
      if (!done()) return false;
      silence.setSilent(false);
      silence.release();
      return true;
    },
    { outbound: silence.outbound },
  );
}

test('receivers of twenty stores that never answer hold half of the slots, and events of a new store are sent at once', async () => {
  const silence = createSilence();
  const healthy = storeOf(fixture, SILENT_STORES);
  await tellSilent();
  let told = false;
  let heldThen = 0;
  await dispatchAside(silence, () => {
    // Healthy stores get events only after silent ones hold all the slots that they can get.
    if (!told && silence.held() >= 2 * SILENT_STORES) {
      told = true;
      heldThen = silence.held();
      void tellHealthy(healthy, 'callback');
    }
    return receivedOf(healthy) === 1;
  });
  expect(heldThen).toBeGreaterThanOrEqual(2 * SILENT_STORES);
  expect(silence.most()).toBeLessThanOrEqual(ALL_PLACES / 2);
});

test('stores that answered well and fall silent together leave slots to the others', async () => {
  const silence = createSilence();
  const healthy = storeOf(fixture, SILENT_STORES);
  silence.setSilent(false);
  await tellSilent(1, 1);
  await tellHealthy(healthy, 'before');
  let fellSilent = false;
  let allWritten = false;
  let looks = 0;
  const fallSilent = async () => {
    await tellSilent(16, 1);
    allWritten = true;
  };
  await dispatchAside(silence, () => {
    if (!fellSilent && receivedOf(healthy) === 1) {
      fellSilent = true;
      silence.setSilent(true);
      void fallSilent();
    }
    const isSteady = allWritten && silence.held() >= ALL_PLACES / 2 && silence.held() === silence.most();
    looks = isSteady ? looks + 1 : 0;
    // By then the dispatcher has claimed again and given silent stores no more slots.
    if (looks === STEADY_LOOKS) void tellHealthy(healthy, 'after');
    return receivedOf(healthy) === 2;
  });
  expect(silence.most()).toBeGreaterThanOrEqual(ALL_PLACES / 2);
  expect(silence.held()).toBe(0);
});

test('a store that is back among others that hang has its turn, and no delivery is left behind', async () => {
  const silence = createSilence();
  const back = storeOf(fixture, SILENT_STORES);
  fixture.receiver.mood = (path) => (path.endsWith('/first') ? 'failing' : 'good');
  await tellSilent();
  await tellHealthy(back, 'first');
  let told = false;
  await dispatchAside(silence, () => {
    if (!told && receivedOf(back) === 1 && silence.held() >= 2 * SILENT_STORES) {
      told = true;
      for (let order = 0; order < 12; order += 1) void tellHealthy(back, `order-${order}`);
    }
    return receivedOf(back) === 13;
  });
  expect(silence.most()).toBeLessThanOrEqual(ALL_PLACES / 2);
  await dispatchUntil(fixture, nothingDue, { outbound: silence.outbound });
});

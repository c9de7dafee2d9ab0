import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { WebhookFixture } from '../../rig/webhooks/webhook-fixture.ts';
import { dispatchUntil, openWebhookFixture, rowsOf, storeOf, urlOf } from '../../rig/webhooks/webhook-fixture.ts';
import { writeEvents } from '../../rig/webhooks/write-events.ts';
import { leaseDeliveries } from '../../src/webhooks/delivery-sql.ts';

/** Stores whose webhooks cannot be signed, because their secret cannot be opened. */

let fixture: WebhookFixture;
beforeAll(async () => {
  fixture = await openWebhookFixture(inject('template'), 2);
});
afterAll(() => fixture.close());

const DAY_MS = 86_400_000;
const MAX_SMALLINT = 32_767;

async function expireOne(index: number, name: string): Promise<void> {
  const store = storeOf(fixture, index);
  const url = urlOf(fixture, name, store);
  const wanted = [{ endpoint: { store, url, path: new URL(url).pathname }, ending: 'expired' as const }];
  await writeEvents(fixture.database, fixture.clock, wanted, new Map());
}

type Delivery = { attempts: number; unscheduled: number; probes: number; state: string };
const deliveriesOf = (index: number) =>
  rowsOf<Delivery>(
    fixture,
    'select attempts, unscheduled, probes, state from deliveries where store_id = $1 order by id',
    [storeOf(fixture, index).id],
  );
const isDelivered = async (index: number) => (await deliveriesOf(index)).every(({ state }) => state === 'delivered');

/** Makes the secrets of a store unreadable; returns what makes them readable again. */
async function hideSecrets(index: number): Promise<() => Promise<void>> {
  const ofStore = 'id in (select secret_id from webhook_secrets where store_id = $1)';
  const { id } = storeOf(fixture, index);
  const hidden = await rowsOf<{ id: bigint; sealed: Buffer; ring_key_id: string }>(
    fixture,
    `select id, sealed, ring_key_id from secrets where ${ofStore}`,
    [id],
  );
  await fixture.database.pool.query(
    `update secrets set ring_key_id = null, sealed = null, abandoned_at = now() where ${ofStore}`,
    [id],
  );
  return async () => {
    for (const one of hidden)
      await fixture.database.pool.query(
        'update secrets set ring_key_id = $2, sealed = $3, abandoned_at = null where id = $1',
        [one.id, one.ring_key_id, one.sealed],
      );
  };
}

/** Runs a dispatcher until it has tried in vain to read a secret. */
async function dispatchInVain(): Promise<void> {
  let rests = 0;
  const rest = () => {
    rests += 1;
    return Promise.resolve();
  };
  await dispatchUntil(fixture, () => rests > 0, { rest });
}

test('a delivery that cannot be signed for 30 days counts no attempt, and is sent when it can be signed', async () => {
  const showSecrets = await hideSecrets(0);
  await expireOne(0, 'unsigned');
  for (let days = 0; days < 30; days += 1) {
    await dispatchInVain();
    fixture.clock.advance(DAY_MS);
  }
  expect(await deliveriesOf(0)).toEqual([{ attempts: 0, unscheduled: 0, probes: 0, state: 'pending' }]);
  await showSecrets();
  await dispatchUntil(fixture, () => isDelivered(0));
  expect(await deliveriesOf(0)).toEqual([{ attempts: 1, unscheduled: 0, probes: 0, state: 'delivered' }]);
});

test('a probe that cannot be signed leaves the schedule where it was', async () => {
  await expireOne(0, 'probed');
  const dueAt = new Date(fixture.clock.nowMs() + DAY_MS);
  await fixture.database.pool.query(
    `update deliveries set attempts = 3, probes = 1, resume_at = $2, next_attempt_at = $1
     where store_id = $3 and state = 'pending'`,
    [new Date(fixture.clock.nowMs()), dueAt, storeOf(fixture).id],
  );
  const showSecrets = await hideSecrets(0);
  await dispatchInVain();
  const rows = await rowsOf(
    fixture,
    `select attempts, probes, resume_at, next_attempt_at from deliveries where store_id = $1 and state = 'pending'`,
    [storeOf(fixture).id],
  );
  expect(rows).toEqual([{ attempts: 3, probes: 0, resume_at: null, next_attempt_at: dueAt }]);
  await showSecrets();
  fixture.clock.advance(DAY_MS);
  await dispatchUntil(fixture, () => isDelivered(0));
});

test('a delivery whose counters are at their end stops no webhook of any store, its own included', async () => {
  await expireOne(0, 'worn');
  await fixture.database.pool.query(
    `update deliveries set attempts = $1, unscheduled = $1, probes = $1, leased_until = now() - interval '1 second'
     where store_id = $2 and state = 'pending'`,
    [MAX_SMALLINT, storeOf(fixture).id],
  );
  await expireOne(1, 'beside');
  const pending = await rowsOf<{ id: bigint }>(fixture, `select id from deliveries where state = 'pending'`);
  const leased = leaseDeliveries(
    fixture.as('worker').pool,
    pending.map(({ id }) => id),
    new Date(fixture.clock.nowMs()),
    0,
  );
  await expect(leased).resolves.toHaveLength(2);
  await dispatchUntil(fixture, async () => (await isDelivered(0)) && (await isDelivered(1)));
  expect((await deliveriesOf(0)).at(-1)).toMatchObject({ attempts: MAX_SMALLINT, unscheduled: MAX_SMALLINT });
});

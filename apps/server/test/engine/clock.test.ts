import { VISITOR } from '../../rig/stores/open-store.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import { checkClock } from '../../src/chains/check-clock.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { alarmsOf } from '../../rig/invoices/look-up.ts';
import { chainOf, openPayableStore, openEngineFixture, secondsNow } from '../../rig/invoices/engine-fixture.ts';
import { follow, settle } from '../../rig/invoices/follow-network.ts';
import { newInvoice, select, setPrices } from '../../rig/invoices/pay-invoice.ts';
import { mine } from '../../rig/chains/evm/reorg.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC', 'ETH']);
  store = await openPayableStore(engine);
});
afterAll(() => engine.close());
beforeEach(async () => {
  await engine.database.pool.query(`delete from alarms; delete from chains where network = 'TRC20'`);
  for (const network of ['BSC', 'ETH']) await settle(engine, network);
  await setPrices(engine);
});

const check = () => checkClock({ database: engine.as('worker'), clock: engine.clock });
const ask = async () =>
  selectPaymentMethod({ networks: NETWORKS, database: engine.as('api'), clock: engine.clock }, VISITOR, {
    transId: await newInvoice(engine, store),
    network: 'BSC',
    token: 'USDT',
  });

/** A third network, just read, with a late head. */
async function followThird(lateSeconds: number): Promise<void> {
  const now = engine.clock.nowMs();
  await engine.database.pool.query(
    `insert into chains (network, height, hash, block_time, head_height, head_time, head_read_at) values ('TRC20', 1, 'h', $1, 1, $1, $2)
     on conflict (network) do update set head_time = excluded.head_time, head_read_at = excluded.head_read_at`,
    [new Date(now - lateSeconds * 1_000), new Date(now)],
  );
}

/** Makes our clock jump, as after a failover of the database; the networks continue. */
async function jump(seconds: number): Promise<void> {
  const trueSeconds = secondsNow(engine);
  engine.clock.advance(seconds * 1_000);
  for (const network of ['BSC', 'ETH']) {
    await mine(chainOf(engine, network).anvil, 1, { atTime: trueSeconds + 1 });
    await follow(engine, network);
  }
  await followThird(seconds);
  await setPrices(engine);
}

describe('a clock ten minutes ahead of three networks', () => {
  test('nothing is quoted, one alarm is raised, and quoting goes on by itself when it is right again', async () => {
    const before = await newInvoice(engine, store);
    const quote = await select(engine, before);
    await jump(600);
    expect(await ask()).toEqual({ selected: false, refusal: 'clock-wrong' });
    // A quote from before the jump is still shown.
    expect((await select(engine, before)).id).toBe(quote.id);
    for (let times = 0; times < 3; times += 1) expect(await check()).toMatchObject({ right: false });
    expect(await alarmsOf(engine, 'clock')).toEqual(['clock-wrong']);

    for (const network of ['BSC', 'ETH']) await settle(engine, network);
    await followThird(2);
    await setPrices(engine);
    expect(await ask()).toMatchObject({ selected: true });
    for (let times = 0; times < 3; times += 1) expect(await check()).toMatchObject({ right: true });
    expect(await alarmsOf(engine, 'clock')).toEqual(['clock-wrong', 'clock-right']);
  });

  test('several workers raise one alarm', async () => {
    await jump(600);
    await Promise.all(Array.from({ length: 4 }, check));
    expect(await alarmsOf(engine, 'clock')).toEqual(['clock-wrong']);
  });
});

test('one head from the future is enough to call the clock wrong', async () => {
  const head = await mine(chainOf(engine, 'BSC').anvil, 1, { atTime: secondsNow(engine) + 120 });
  await follow(engine, 'BSC');
  await setPrices(engine);
  expect(await ask()).toEqual({ selected: false, refusal: 'clock-wrong' });
  expect(await check()).toMatchObject({ right: false, networks: ['BSC'] });
  engine.clock.advance((head.timestamp - secondsNow(engine)) * 1_000);
});

test('networks that could not be read for ten minutes say nothing about the clock', async () => {
  await followThird(0);
  engine.clock.advance(600_000);
  await setPrices(engine);
  expect(await ask()).toEqual({ selected: false, refusal: 'network-unavailable' });
  expect(await check()).toEqual({ right: true, heard: 0 });
  expect(await alarmsOf(engine, 'clock')).toEqual([]);
});

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Selection } from '../../src/invoices/select-payment-method.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import { isGivenOut } from '../../src/quotes/quote.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import type { StoreOptions, TestStore } from '../../rig/stores/open-store.ts';
import { nextAddress, VISITOR, TESTER } from '../../rig/stores/open-store.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { alarmsOf, endOf, factsOf, lookUp, statusOf } from '../../rig/invoices/look-up.ts';
import { duringChange, removeWallets } from '../../rig/invoices/change-rows.ts';
import { expire, follow, settle } from '../../rig/invoices/follow-network.ts';
import { fillAmounts, newInvoice, pay, select, setPrices } from '../../rig/invoices/pay-invoice.ts';
import { keepCurrent } from '../../rig/invoices/select-current.ts';
import { openPayableStore, openEngineFixture, secondsNow } from '../../rig/invoices/engine-fixture.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';

/** Each open quote has its own amount, and nothing is offered whose payment could not be proven. */

let engine: EngineFixture;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['ETH'], 16);
  await follow(engine, 'ETH');
});
afterAll(() => engine.close());

const TEN = '10';
/** Ten USDT, and the cent that a salt may cost, in the digits that a payer sees. */
const BAND = { base: 10_000_000n, salts: 10_000 };
const READ_BEFORE_SECONDS = 20;
/** Concurrent selections: more would time out waiting for a connection. */
const LANES = 32;

async function ask(transId: string, token = 'USDT', network = 'ETH'): Promise<Selection> {
  return selectPaymentMethod({ networks: NETWORKS, database: engine.as('api'), clock: engine.clock }, VISITOR, {
    transId,
    network,
    token,
  });
}

async function open(amount = TEN, options: StoreOptions = {}): Promise<{ store: TestStore; transId: string }> {
  const store = await openPayableStore(engine, options);
  await setPrices(engine);
  await keepCurrent(engine, 'ETH');
  return { store, transId: await newInvoice(engine, store, amount) };
}

async function addressOf(store: TestStore): Promise<string> {
  const { rows } = await engine.database.pool.query<{ address: string }>(
    'select address from wallets where store_id = $1 order by id limit 1',
    [store.id],
  );
  return rows[0]?.address ?? '';
}

function amountsOf(selections: readonly Selection[]): bigint[] {
  return selections.map((selection) => {
    if (!selection.selected) throw new Error(selection.refusal);
    return selection.quote.displayUnits;
  });
}

/** Creates invoices and selects for all of them concurrently. */
async function selectMany(store: TestStore, count: number, amount: string, token: string): Promise<bigint[]> {
  const transIds: string[] = [];
  await inLanes(count, async () => void transIds.push(await newInvoice(engine, store, amount)));
  const selections: Selection[] = [];
  await inLanes(count, async (place) => void selections.push(await ask(transIds[place] ?? '', token)));
  return amountsOf(selections);
}

async function inLanes(count: number, work: (place: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) {
      next += 1;
      await work(next - 1);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

describe('amounts', () => {
  test.each([
    ['USDT', 100_000_000n, 100_100_000n],
    // A hundred dollars at 3000, rounded up, and ten cents.
    ['ETH', 3_333_334n, 3_333_334n + 3_333n],
  ])(
    '500 customers at once pay the same price in %s by 500 amounts, each within the cap',
    async (token, least, most) => {
      const { store } = await open();
      const amounts = await selectMany(store, 500, '100', token);
      expect(new Set(amounts).size).toBe(500);
      expect(amounts.filter((amount) => !isGivenOut(amount))).toEqual([]);
      expect(amounts.filter((amount) => amount < least || amount > most)).toEqual([]);
    },
  );

  test('a band that is nearly full is searched, and those who search at once find different amounts', async () => {
    const { store } = await open();
    const spare = Array.from({ length: 100 }, (_unused, place) => BAND.base + BigInt(place) * 100n + 5n);
    await fillAmounts(engine, { network: 'ETH', token: 'USDT', toAddress: await addressOf(store) }, { ...BAND, spare });
    const amounts = await selectMany(store, 90, TEN, 'USDT');
    expect(new Set(amounts).size).toBe(90);
    expect(amounts.filter((amount) => !spare.includes(amount))).toEqual([]);
  });

  test('no amount is round, though it is the last one that is free', async () => {
    const { store, transId } = await open();
    const band = { network: 'ETH', token: 'USDT', toAddress: await addressOf(store) };
    const round = Array.from({ length: 10 }, (_unused, place) => BAND.base + BigInt(place) * 1_000n);
    const last = BAND.base + 4_001n;
    await fillAmounts(engine, band, { ...BAND, spare: [...round, last] });
    expect(amountsOf([await ask(transId)])).toEqual([last]);
    expect(await ask(await newInvoice(engine, store, TEN))).toMatchObject({ refusal: 'amounts-exhausted' });
  });

  test('a band is given out to the last amount, and those kept for a restore stay free', async () => {
    const { store } = await open();
    const all = Array.from({ length: BAND.salts + 1 }, (_unused, salt) => BAND.base + BigInt(salt));
    const given = all.filter(isGivenOut);
    const left = given.filter((_unused, place) => place % 500 === 0);
    await engine.database.pool.query(
      `insert into amount_slots (network, token, address, display_units, quote_id)
       select 'ETH', 'USDT', $1, units, 0 from unnest($2::bigint[]) units`,
      [await addressOf(store), given.filter((_unused, place) => place % 500 !== 0)],
    );
    const amounts: bigint[] = [];
    for (const _unused of left) amounts.push(...amountsOf([await ask(await newInvoice(engine, store, TEN))]));
    expect(new Set(amounts)).toEqual(new Set(left));
    expect(await ask(await newInvoice(engine, store, TEN))).toMatchObject({ refusal: 'amounts-exhausted' });
  });

  test('a full band leads to another address of the store, and then to a refusal with an alarm', async () => {
    const { store, transId } = await open();
    const band = { network: 'ETH', token: 'USDT', toAddress: await addressOf(store) };
    await fillAmounts(engine, band, BAND);
    for (let times = 0; times < 3; times += 1)
      expect(await ask(transId)).toEqual({ selected: false, refusal: 'amounts-exhausted' });
    expect(await alarmsOf(engine, `store:${store.id}`)).toEqual(['slots-exhausted']);
    const wallet = { store: store.ref, network: 'ETH', address: nextAddress() };
    const { address } = await addWallet(engine, TESTER, wallet);
    expect(await ask(transId)).toMatchObject({ selected: true, quote: { toAddress: address } });
    await fillAmounts(engine, { ...band, toAddress: address }, BAND);
    expect(await ask(await newInvoice(engine, store, TEN))).toMatchObject({ refusal: 'amounts-exhausted' });
  });

  test('an amount is reused once its quarantine is over, and not a moment before', async () => {
    const { store, transId } = await open();
    const band = { network: 'ETH', token: 'USDT', toAddress: await addressOf(store) };
    await fillAmounts(engine, band, BAND);
    const rests = BAND.base + 4_321n;
    const restUntil = (ms: number) =>
      engine.database.pool.query('update amount_slots set held_until = $1 where address = $2 and display_units = $3', [
        new Date(ms),
        band.toAddress,
        rests,
      ]);
    await restUntil(engine.clock.nowMs());
    expect(await ask(transId)).toMatchObject({ refusal: 'amounts-exhausted' });
    await restUntil(engine.clock.nowMs() - 1);
    const selection = await ask(transId);
    expect(amountsOf([selection])).toEqual([rests]);
    const { rows } = await engine.database.pool.query(
      `select q.invoice_id, s.held_until = 'infinity' as held from amount_slots s join quotes q on q.id = s.quote_id
       where s.address = $1 and s.display_units = $2`,
      [band.toAddress, rests],
    );
    expect(rows).toEqual([{ invoice_id: (await factsOf(engine, transId)).id, held: true }]);
  });
});

describe('quotes', () => {
  test('the same method selected again, also at the same moment, is the same quote', async () => {
    const { transId } = await open();
    const amounts = amountsOf(await Promise.all(Array.from({ length: 10 }, () => ask(transId))));
    expect(new Set(amounts).size).toBe(1);
    expect(amountsOf([await ask(transId)])).toEqual(amounts.slice(0, 1));
    const { rows } = await engine.database.pool.query(
      'select q.id from quotes q join amount_slots s on s.quote_id = q.id where q.invoice_id = $1',
      [(await factsOf(engine, transId)).id],
    );
    expect(rows).toHaveLength(1);
  });

  test('what was selected last is shown, until one is paid: then it is the paid one', async () => {
    const { store, transId } = await open();
    await ask(transId, 'USDC');
    const quote = await select(engine, transId, 'ETH', 'USDT');
    await ask(transId, 'USDC');
    expect(await lookUp(engine, store, transId)).toMatchObject({ token_symbol: 'USDC' });
    await pay(engine, quote);
    await settle(engine, 'ETH');
    expect(await ask(transId, 'USDC')).toEqual({ selected: false, refusal: 'not-waiting' });
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', token_symbol: 'USDT' });
  });

  test('any number of other quotes leaves room for one more: the payer’s own method can always be selected', async () => {
    const { transId } = await open();
    await engine.database.pool.query(
      `insert into quotes (invoice_id, network, token, to_address, token_amount, token_price_usd, created_at, display_units,
         finality, price_sources, held_from)
       select $1, 'network ' || n, 'USDT', 'nobody', 1, 1, now(), 1, 'finalized', '[]', now() from generate_series(1, 30) n`,
      [(await factsOf(engine, transId)).id],
    );
    expect(await ask(transId)).toMatchObject({ selected: true, quote: { token: 'USDT' } });
  });
});

/** Moves the clock to a time, with the network read and prices known shortly before. */
async function goTo(seconds: number): Promise<void> {
  engine.clock.advance((seconds - READ_BEFORE_SECONDS - secondsNow(engine)) * 1000);
  await keepCurrent(engine, 'ETH');
  await setPrices(engine);
  engine.clock.advance((seconds - secondsNow(engine)) * 1000);
}

describe('refusals', () => {
  test('in the last 60 seconds nothing new is selected; what was selected is still shown', async () => {
    const { transId } = await open();
    await goTo((await endOf(engine, transId)) - 60);
    expect(await ask(transId)).toMatchObject({ selected: true });
    engine.clock.advance(1_000);
    expect(await ask(transId, 'USDC')).toEqual({ selected: false, refusal: 'closing' });
    expect(await ask(transId)).toMatchObject({ selected: true });
  });

  test('a volatile token is offered only while an hour or less is left', async () => {
    const { transId } = await open(TEN, { lifetimeMinutes: 90 });
    await goTo((await endOf(engine, transId)) - 3_601);
    expect(await ask(transId, 'ETH')).toEqual({ selected: false, refusal: 'volatile-too-long' });
    expect(await ask(transId, 'USDT')).toMatchObject({ selected: true });
    engine.clock.advance(1_000);
    expect(await ask(transId, 'ETH')).toMatchObject({ selected: true });
  });

  test('an amount below the minimum of the network', async () => {
    const { store, transId } = await open('4.99');
    expect(await ask(transId)).toEqual({ selected: false, refusal: 'below-minimum' });
    expect(await ask(await newInvoice(engine, store, '5'))).toMatchObject({ selected: true });
  });

  test('a token without a price, or only with an old one', async () => {
    const { transId } = await open();
    engine.clock.advance(15 * 60_000);
    await keepCurrent(engine, 'ETH');
    expect(await ask(transId)).toEqual({ selected: false, refusal: 'price-unavailable' });
    await engine.database.pool.query('delete from price_reports');
    expect(await ask(transId)).toEqual({ selected: false, refusal: 'price-unavailable' });
  });

  test('a network that is frozen, or that nobody follows', async () => {
    const { store, transId } = await open();
    await addWallet(engine, TESTER, { store: store.ref, network: 'BSC', address: nextAddress() });
    expect(await ask(transId, 'USDT', 'BSC')).toEqual({ selected: false, refusal: 'network-unavailable' });
    await engine.database.pool.query('update chains set frozen_at = now()');
    expect(await ask(transId)).toEqual({ selected: false, refusal: 'network-unavailable' });
    await engine.database.pool.query('update chains set frozen_at = null');
    expect(await ask(transId)).toMatchObject({ selected: true });
  });

  test('a network whose last complete read is older than two minutes; a quote that is open there can still be selected', async () => {
    const { store, transId } = await open();
    const quoted = await ask(transId);
    const another = await newInvoice(engine, store, TEN);
    engine.clock.advance(100_000);
    await setPrices(engine);
    expect(await ask(another)).toMatchObject({ selected: true });
    engine.clock.advance(30_000);
    await setPrices(engine);
    expect(await ask(await newInvoice(engine, store, TEN))).toEqual({
      selected: false,
      refusal: 'network-unavailable',
    });
    expect(await ask(transId)).toEqual(quoted);
    await keepCurrent(engine, 'ETH');
    expect(await ask(await newInvoice(engine, store, TEN))).toMatchObject({ selected: true });
  });

  test('an invoice, a token or a network that does not exist or is not offered', async () => {
    const { store, transId } = await open();
    expect(await ask('TID-0000000000000000')).toEqual({ selected: false, refusal: 'invoice-not-found' });
    expect(await ask(transId, 'DOGE')).toEqual({ selected: false, refusal: 'not-offered' });
    expect(await ask(transId, 'USDT', 'BSC')).toEqual({ selected: false, refusal: 'not-offered' });
    await removeWallets(engine, store);
    expect(await ask(transId)).toEqual({ selected: false, refusal: 'not-offered' });
  });

  test('an invoice that has expired', async () => {
    const { store, transId } = await open();
    engine.clock.advance(31 * 60_000);
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('expired');
    expect(await ask(transId)).toEqual({ selected: false, refusal: 'not-waiting' });
  });
});

async function countQuotes(transId: string): Promise<number> {
  const { rows } = await engine.database.pool.query('select from quotes where invoice_id = $1', [
    (await factsOf(engine, transId)).id,
  ]);
  return rows.length;
}

describe('a selection waits for', () => {
  test.each([
    ['a new one', 0],
    ['the same one again', 1],
  ])('the end of its invoice, and is then refused: %s', async (_title, before) => {
    const { transId } = await open();
    if (before > 0) await ask(transId);
    const ending = `update invoices set status = 'expired' where trans_id = '${transId}'`;
    expect(await duringChange(engine, [ending], () => ask(transId))).toEqual({
      selected: false,
      refusal: 'not-waiting',
    });
    expect(await countQuotes(transId)).toBe(before);
  });

  test('the removal of its wallet, whose payments nobody would see', async () => {
    const { store, transId } = await open();
    const removing = `update wallets set removed_at = now() where store_id = ${store.id}`;
    expect(await duringChange(engine, [removing], () => ask(transId))).toEqual({
      selected: false,
      refusal: 'not-offered',
    });
    expect(await countQuotes(transId)).toBe(0);
  });

  test('nothing else: an expirer passes an invoice over while its selection is being made', async () => {
    const { store, transId } = await open();
    engine.clock.advance(31 * 60_000);
    const client = await engine.database.pool.connect();
    await client.query('begin');
    await client.query('select from invoices where trans_id = $1 for update', [transId]);
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
    await client.query('commit');
    client.release();
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('expired');
  });
});

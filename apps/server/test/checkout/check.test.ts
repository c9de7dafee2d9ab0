import { VISITOR } from '../../rig/stores/open-store.ts';
import { pino } from 'pino';
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { CheckTransaction } from '../../src/checkout/check-transaction.ts';
import { createCheckTransaction, readTransactionId } from '../../src/checkout/check-transaction.ts';
import { readChainStandings } from '../../src/checkout/network-status-sql.ts';
import { readCheckoutFacts } from '../../src/checkout/checkout-facts-sql.ts';
import { namePayment } from '../../src/invoices/name-payment.ts';
import { findNetwork, NETWORKS } from '../../rig/chains/networks.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Inspectors } from '../../src/sources/inspected-transaction.ts';
import { createInspector } from '../../src/sources/create-inspector.ts';
import { payInternally, payNative, payRevertingNative, payToken } from '../../rig/chains/evm/payment.ts';
import { canonicalToken, deployLookAlike } from '../../rig/chains/evm/token.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { chainOf, openPayableStore, openEngineFixture, secondsNow } from '../../rig/invoices/engine-fixture.ts';
import { endOf, statusOf } from '../../rig/invoices/look-up.ts';
import { follow, mineAt, mineNow } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';

/** Checks of "I have paid" against real nodes: every answer that a customer can get, none of which settles anything. */

const log = pino({ level: 'silent' });
const USDT = canonicalToken(56, 'USDT').address;
const STRANGER: Address = '0x00000000000000000000000000000000000057a6';
const CENT = 10n ** 16n;

let engine: EngineFixture;
let check: CheckTransaction;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC', 'ETH']);
  await follow(engine, 'BSC');
  await follow(engine, 'ETH');
  check = createCheck(inspectorsOf('BSC', 'ETH'));
});
afterAll(() => engine.close());

const node = (network = 'BSC') => chainOf(engine, network).anvil;

function inspectorsOf(...networks: string[]): Inspectors {
  return new Map(
    networks.map((symbol) => {
      const network = findNetwork(symbol);
      if (!network) throw new Error(`${symbol} is not listed.`);
      return [symbol, createInspector(network, [node(symbol).url])];
    }),
  );
}

function createCheck(inspect: Inspectors): CheckTransaction {
  const readHeads = async () => {
    const standings = await readChainStandings(engine.as('api').queries, engine.clock);
    return (symbol: string) => standings.find(({ network }) => network === symbol)?.headHeight;
  };
  return createCheckTransaction({
    networks: NETWORKS,
    inspect,
    clock: engine.clock,
    steadyClock: systemClock,
    readHeads,
    name: (request) => namePayment({ database: engine.as('api') }, VISITOR, request),
  });
}

async function openQuote(network = 'BSC', token = 'USDT') {
  const store = await openPayableStore(engine);
  const transId = await newInvoice(engine, store, '50');
  const quote = await select(engine, transId, network, token);
  return { store, transId, quote, to: quote.toAddress as Address };
}

async function factsOf(transId: string) {
  const [facts] = await readCheckoutFacts(engine.as('api').pool, [transId]);
  if (!facts) throw new Error(`There is no ${transId}.`);
  return facts;
}

const PAYER = { site: 'payer', block: 'payer' };
const ask = async (transId: string, text: string, by = check) =>
  by(await factsOf(transId), { text, around: PAYER }, log);

const NOTHING = { token: null, networkName: null, amount: null, seconds: null, blocks: null };

describe('an answer for every case', () => {
  test('an exact payment matches, and is not settled by being asked about', async () => {
    const { store, transId, quote } = await openQuote();
    const hash = await pay(engine, quote);
    await mineNow(engine, 'BSC');
    const answer = { ...NOTHING, reason: 'matches', token: 'USDT', networkName: 'BNB Smart Chain' };
    expect(await ask(transId, hash)).toEqual(answer);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
  });

  test('where blocks are counted, the number that is still missing is shown', async () => {
    const { transId, quote } = await openQuote('ETH', 'USDC');
    const hash = await pay(engine, quote);
    await mineNow(engine, 'ETH', 3);
    await follow(engine, 'ETH');
    expect(await ask(transId, hash)).toMatchObject({ reason: 'matches', blocks: 9 });
  });

  test.each<[string, bigint, { reason: string; amount: string }]>([
    ['short', -30n * CENT, { reason: 'short', amount: '0.3' }],
    ['over', CENT, { reason: 'over', amount: '0.01' }],
  ])('a payment that is %s is shown with the difference', async (_name, difference, expected) => {
    const { transId, quote } = await openQuote();
    const hash = await pay(engine, quote, unitsOf(quote) + difference);
    await mineNow(engine, 'BSC');
    expect(await ask(transId, hash)).toEqual({
      ...NOTHING,
      token: 'USDT',
      networkName: 'BNB Smart Chain',
      ...expected,
    });
  });

  test('another token of the list is a wrong token', async () => {
    const { transId, to } = await openQuote();
    const hash = await payToken(node(), { token: canonicalToken(56, 'USDC').address, to, units: 50n * 100n * CENT });
    await mineNow(engine, 'BSC');
    expect(await ask(transId, hash)).toMatchObject({ reason: 'wrong-token', token: 'USDC' });
  });

  test('a token that differs from the real one only in its address is unlisted', async () => {
    const { transId, quote, to } = await openQuote();
    const fake = await deployLookAlike(node(), canonicalToken(56, 'USDT'));
    const hash = await payToken(node(), { token: fake.address, to, units: unitsOf(quote) });
    engine.clock.advance(10_000);
    await mineNow(engine, 'BSC');
    expect(await ask(transId, hash)).toMatchObject({ reason: 'unlisted-token' });
  });

  test('a payment to the same address on another network is on a wrong network', async () => {
    const { transId, to } = await openQuote();
    const usdc = canonicalToken(1, 'USDC').address;
    const hash = await payToken(node('ETH'), { token: usdc, to, units: 50_000_000n });
    await mineNow(engine, 'ETH');
    expect(await ask(transId, hash)).toEqual({ ...NOTHING, reason: 'wrong-network', networkName: 'Ethereum' });
  });

  test('a failed transaction, and coins that a contract passed on, are recognised', async () => {
    const { transId, quote, to } = await openQuote('BSC', 'BNB');
    const units = unitsOf(quote);
    const failed = await payRevertingNative(node(), { to, units }, { atTime: secondsNow(engine) });
    engine.clock.advance(2_000);
    const internal = await payInternally(node(), { to, units });
    engine.clock.advance(2_000);
    await mineNow(engine, 'BSC');
    expect(await ask(transId, failed)).toMatchObject({ reason: 'failed' });
    expect(await ask(transId, internal)).toMatchObject({ reason: 'through-contract' });
  });

  test('coins in a plain transfer to a wrong address are recognised', async () => {
    const { transId, quote } = await openQuote('BSC', 'BNB');
    const hash = await payNative(node(), { to: STRANGER, units: unitsOf(quote) });
    engine.clock.advance(2_000);
    await mineNow(engine, 'BSC');
    expect(await ask(transId, hash)).toMatchObject({ reason: 'other-address' });
  });

  test('a payment before the quote is early, and one after the end is late', async () => {
    const { transId, quote } = await openQuote();
    const end = await endOf(engine, transId);
    const late = await pay(engine, quote);
    await mineAt(engine, 'BSC', end + 90);
    expect(await ask(transId, late)).toMatchObject({ reason: 'late', seconds: 90 });
    engine.clock.advance(600_000);
    const next = await openQuote();
    await engine.database.pool.query(
      `update quotes set created_at = created_at + interval '10 minutes' where id = $1`,
      [next.quote.id],
    );
    const early = await pay(engine, next.quote);
    await mineNow(engine, 'BSC');
    expect(await ask(next.transId, early)).toMatchObject({ reason: 'early' });
  });

  test.each(['', 'my payment', '0x12', 'a'.repeat(65), `0x${'g'.repeat(64)}`])('%j is no transaction', async (text) => {
    const { transId } = await openQuote();
    expect(await ask(transId, text)).toEqual({ ...NOTHING, reason: 'malformed' });
  });
});

describe('a check reveals only payments to the addresses of its invoice', () => {
  test('a payment to somebody else is "to another address", whatever it is', async () => {
    const { transId } = await openQuote();
    const hash = await payToken(node(), { token: USDT, to: STRANGER, units: 123n * CENT });
    await mineNow(engine, 'BSC');
    const answer = { ...NOTHING, reason: 'other-address', token: 'USDT', networkName: 'BNB Smart Chain' };
    expect(await ask(transId, hash)).toEqual(answer);
  });

  test("nothing is revealed of a payment of another store's invoice", async () => {
    const [mine, theirs] = [await openQuote(), await openQuote()];
    const hash = await pay(engine, theirs.quote);
    await mineNow(engine, 'BSC');
    expect(await ask(mine.transId, hash)).toMatchObject({ reason: 'other-address', amount: null, seconds: null });
  });

  test('a transaction of another network that does not reach the address is not found', async () => {
    const { transId } = await openQuote();
    const usdc = canonicalToken(1, 'USDC').address;
    const hash = await payToken(node('ETH'), { token: usdc, to: STRANGER, units: 1n });
    await mineNow(engine, 'ETH');
    expect(await ask(transId, hash)).toEqual({ ...NOTHING, reason: 'not-found' });
  });

  test('a transaction that no node knows is not found', async () => {
    const { transId } = await openQuote();
    expect(await ask(transId, `0x${'12'.repeat(32)}`)).toEqual({ ...NOTHING, reason: 'not-found' });
  });
});

describe('nodes', () => {
  const UNKNOWN: Hex = `0x${'34'.repeat(32)}`;

  test('without a node for the network a check is unavailable', async () => {
    const { transId } = await openQuote();
    const answer = await ask(transId, UNKNOWN, createCheck(inspectorsOf('ETH')));
    expect(answer).toEqual({ ...NOTHING, reason: 'unavailable' });
  });

  test('a node that fails makes a check unavailable, not "not found"', async () => {
    const { transId } = await openQuote();
    const failing: Inspectors = new Map([['BSC', () => Promise.reject(new Error('down'))]]);
    expect(await ask(transId, UNKNOWN, createCheck(failing))).toMatchObject({
      reason: 'unavailable',
    });
  });

  test('are asked once for equal checks at the same time, and not waited for without limit', async () => {
    const { transId } = await openQuote();
    let asked = 0;
    const silent: Inspectors = new Map([
      [
        'BSC',
        () => {
          asked += 1;
          return new Promise<null>(() => {});
        },
      ],
    ]);
    const by = createCheck(silent);
    const answers = await Promise.all([ask(transId, UNKNOWN, by), ask(transId, UNKNOWN, by)]);
    expect(answers.map((answer) => answer.reason)).toEqual(['unavailable', 'unavailable']);
    expect(asked).toBe(1);
  });

  test('a second node is asked when the first does not know', async () => {
    const { transId, quote } = await openQuote();
    const hash = await pay(engine, quote);
    await mineNow(engine, 'BSC');
    const network = findNetwork('BSC');
    if (!network) throw new Error('BSC is not listed.');
    const inspect = new Map([['BSC', createInspector(network, [node('ETH').url, node().url])]]);
    expect(await ask(transId, hash, createCheck(inspect))).toMatchObject({ reason: 'matches' });
  });
});

const HEX = 'Ab'.repeat(32);

test.each([
  [`0x${HEX}`, HEX],
  [`  0x${HEX}\n`, HEX],
  [HEX, HEX],
  [`https://bscscan.com/tx/0x${HEX}`, HEX],
  [`https://bscscan.com/tx/0x${HEX}#eventlog`, HEX],
])('a hash is found in %j', (text, hex) => {
  expect(readTransactionId(text)).toEqual({ kind: 'hash', id: `0x${hex.toLowerCase()}` });
});

const SIGNATURE = '5'.repeat(87);

test.each([SIGNATURE, ` ${SIGNATURE}\n`, `https://solscan.io/tx/${SIGNATURE}?cluster=x`])(
  'a signature of Solana is found in %j',
  (text) => {
    expect(readTransactionId(text)).toEqual({ kind: 'signature', id: SIGNATURE });
  },
);

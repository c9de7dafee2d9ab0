import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { ExchangeFixture, ExchangeSite } from '../../rig/exchanges/exchange-fixture.ts';
import {
  addAccount,
  createExchangeReader,
  openExchangeFixture,
  openExchangeSite,
  openPayment,
  pass,
  payQuote,
  poll,
  startFake,
} from '../../rig/exchanges/exchange-fixture.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { fail } from '../../rig/invoices/engine-fixture.ts';
import { decideAgain, expire } from '../../rig/invoices/follow-network.ts';
import { statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import { newInvoice } from '../../rig/invoices/pay-invoice.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import { rescanStatement } from '../../src/accounts/rescan-statement.ts';
import { attachTransfer } from '../../src/invoices/attach-transfer.ts';
import { endInvoice } from '../../src/invoices/end-invoice.ts';
import { createStatementSources } from '../../src/platforms/create-statement-sources.ts';
import { createRequestGate } from '../../src/platforms/exchange/request-gate.ts';
import { addExchangeAccount } from '../../src/wallets/add-exchange-account.ts';
import { findExchangeAccount } from '../../src/wallets/exchange-account-sql.ts';
import { removeExchangeAccount } from '../../src/wallets/remove-exchange-account.ts';
import { stopExchangeAccount } from '../../src/wallets/stop-exchange-account.ts';

/** What guards exchange accounts against operators, other accounts and clocks. */

const MINUTE = 60;
const HOUR = 3_600;
const DAY_MS = 86_400_000;

let site: ExchangeSite;
beforeAll(async () => {
  site = await openExchangeSite(inject('template'), 'BINANCE');
});
afterAll(() => site.close());

const admin = ({ engine }: Pick<ExchangeFixture, 'engine'>) => ({ database: engine.as('admin'), clock: engine.clock });
const status = ({ engine, store }: ExchangeFixture, { transId }: { transId: string }) =>
  statusOf(engine, store, transId);
const isStopped = async ({ engine, network, account }: ExchangeFixture) =>
  (await findExchangeAccount(engine.database.queries, { network, account: account.uid }))?.stopped;

/** Another store with an exchange account of its own, at the same platform or in another region of it. */
async function openNeighbour(fixture: ExchangeFixture, fake = fixture.fake): Promise<ExchangeFixture> {
  const { engine, network } = fixture;
  const store = await openStore(engine.database, { clock: engine.clock, wallet: false });
  const account = await addAccount({ engine, fake, network }, store);
  return { ...fixture, fake, store, account, follower: createExchangeReader(engine, network, store) };
}

/** Completes an invoice and takes its payment away, until the exchange account is stopped; returns the payment's id. */
async function losePayment(fixture: ExchangeFixture): Promise<string> {
  const open = await openPayment(fixture);
  const id = payQuote(fixture, open);
  await poll(fixture);
  fixture.fake.vanish(id);
  await pass(fixture, 13 * MINUTE);
  expect(await isStopped(fixture)).toBe(true);
  return id;
}

describe('a stop by a person', () => {
  test.each(['an operator says so', 'payment-gone, said the support: keep it stopped'])(
    'does not end because a payment is back at another exchange account: %s',
    async (reason) => {
      const fixture = await openExchangeFixture(site);
      const neighbour = await openNeighbour(fixture);
      const id = await losePayment(neighbour);
      const name = { network: fixture.network, account: fixture.account.uid };
      await stopExchangeAccount(admin(fixture), TESTER, { ...name, reason });
      fixture.fake.restore(id);
      await pass(neighbour, MINUTE);
      expect(await isStopped(neighbour)).toBe(false);
      expect(await isStopped(fixture)).toBe(true);
    },
  );

  test('takes the place of a stop by a lost payment, and stays when the payment is back', async () => {
    const fixture = await openExchangeFixture(site);
    const id = await losePayment(fixture);
    const name = { network: fixture.network, account: fixture.account.uid };
    await stopExchangeAccount(admin(fixture), TESTER, { ...name, reason: 'until the merchant has answered' });
    fixture.fake.restore(id);
    await pass(fixture, MINUTE);
    expect(await isStopped(fixture)).toBe(true);
  });
});

test('a pending row that a person attached to an invoice without a quote there completes nothing until it is final', async () => {
  const fixture = await openExchangeFixture(site);
  const { engine, network, account, fake, store } = fixture;
  await openPayment(fixture);
  const transId = await newInvoice(engine, store);
  const { id } = fake.pay(account.uid, { token: 'USDT', amount: '3.21', state: 'pending' });
  await poll(fixture);
  const [row = fail()] = await transfersOf(engine, id);
  await attachTransfer(admin(fixture), TESTER, { network, txId: id, index: row.index, transId });
  await pass(fixture, 4 * MINUTE);
  await decideAgain(engine);
  expect(await status(fixture, { transId })).toBe('processing');
  fake.settle(id, 'final');
  await pass(fixture, MINUTE);
  expect(await status(fixture, { transId })).toBe('completed');
});

test('rows of two regions of a platform with the same id are two payments', async () => {
  const okx = await openExchangeSite(inject('template'), 'OKX');
  const region = await startFake('OKX', { clock: okx.engine.clock, quotas: false });
  try {
    const fixture = await openExchangeFixture(okx);
    // The other region has numbered other exchange accounts, and as many rows as this one.
    for (let count = 0; count < 50; count += 1) region.openAccount();
    const neighbour = await openNeighbour(fixture, region);
    const row = { token: 'DOGE', amount: '1' };
    const { id: lastId } = okx.fake.pay(fixture.account.uid, row);
    for (let id = ''; id !== lastId;) ({ id } = region.pay(neighbour.account.uid, row));
    const [first, second] = [await openPayment(fixture), await openPayment(neighbour)];
    expect(payQuote(fixture, first)).toBe(payQuote(neighbour, second));
    await poll(fixture);
    await poll(neighbour);
    await pass(fixture, 13 * MINUTE);
    await pass(neighbour, 13 * MINUTE);
    expect([await status(fixture, first), await status(neighbour, second)]).toEqual(['completed', 'completed']);
    expect([await isStopped(fixture), await isStopped(neighbour)]).toEqual([false, false]);
  } finally {
    await region.stop();
    await okx.close();
  }
});

test('a refusal of a key that was replaced meanwhile is no fault of the new one', async () => {
  const fixture = await openExchangeFixture(site);
  const { engine, network, account, follower, store, fake } = fixture;
  await openPayment(fixture);
  const { credentials } = account.issueKey();
  const { clock } = engine;
  const statements = createStatementSources(NETWORKS, { clock, gate: createRequestGate({ clock }) });
  const context = {
    ...admin(fixture),
    networks: NETWORKS,
    statements,
    ring: store.ring,
    anyBaseUrl: true,
    jobs: undefined,
  };
  const late: typeof follower = {
    ...follower,
    keyOf: async (one) => {
      const old = await follower.keyOf(one);
      await addExchangeAccount(context, TESTER, { store: store.ref, network, baseUrl: fake.url, credentials });
      account.change({ active: false });
      return old;
    },
  };
  await poll(fixture, late);
  const found = await findExchangeAccount(engine.database.queries, { network, account: account.uid });
  expect(found?.fault).toBeNull();
});

test('an invoice whose pending payment lies at an exchange account that was given up is ended by a person', async () => {
  const fixture = await openExchangeFixture(site);
  const { engine, network, account } = fixture;
  const open = await openPayment(fixture);
  payQuote(fixture, open, { state: 'pending' });
  await poll(fixture);
  await removeExchangeAccount(admin(fixture), TESTER, { network, account: account.uid, reason: 'closed for good' });
  await pass(fixture, 3 * HOUR, 600);
  await expire(engine);
  await decideAgain(engine);
  expect(await status(fixture, open)).toBe('processing');
  const end = { transId: open.transId, outcome: 'completed' as const, reason: 'the merchant has the money' };
  await endInvoice(admin(fixture), TESTER, end);
  expect(await status(fixture, open)).toBe('completed');
});

test.each([
  ['a NUL', 'a\u0000b'],
  ['a character that is cut in half where the hint ends', `${'x'.repeat(99)}\u{1F600}`],
])('a payer whose name has %s holds up no other payer', async (_what, from) => {
  const fixture = await openExchangeFixture(site);
  const { fake, account } = fixture;
  const open = await openPayment(fixture);
  fake.pay(account.uid, { token: 'USDT', amount: '0.000001', from });
  payQuote(fixture, open);
  await poll(fixture);
  expect(await status(fixture, open)).toBe('completed');
});

test('coverage stays two minutes behind the clock of a platform when ours jumps ahead between two measurements', async () => {
  const fixture = await openExchangeFixture(site);
  const { engine, fake, network, account, follower } = fixture;
  await openPayment(fixture);
  const reader = { ...follower, headMs: HOUR * 1_000 };
  await poll(fixture);
  const { measuredMs } = follower.memory.measured.get(fake.url) ?? fail();
  engine.clock.advance(50_000);
  fake.skew(-50_000);
  try {
    for (let polls = 0; polls < 3; polls += 1) await poll(fixture, reader);
    const { rows } = await engine.database.pool.query<{ height: number }>(
      'select height::float8 as height from chain_coverage where network = $1 and scope = $2',
      [network, account.uid],
    );
    expect(rows).toEqual([{ height: measuredMs - 2 * MINUTE * 1_000 }]);
  } finally {
    fake.skew(0);
  }
});

test('a platform whose clock is five minutes behind ours is not offered', async () => {
  const behind = await openExchangeSite(inject('template'), 'BINANCE');
  try {
    behind.fake.skew(-5 * MINUTE * 1_000);
    const fixture = await openExchangeFixture(behind);
    await expect(openPayment(fixture)).rejects.toThrow('clock-wrong');
    behind.fake.skew(0);
    await expect(openPayment(fixture)).resolves.toBeDefined();
  } finally {
    await behind.close();
  }
});

test('a rescan of ninety days waits for the quota of its platform', async () => {
  const { engine } = site;
  const fake = await startFake('BINANCE', { clock: engine.clock });
  try {
    // Exchange accounts of the other fake have the first numbers.
    for (let count = 0; count < 50; count += 1) fake.openAccount();
    const fixture = await openNeighbour(await openExchangeFixture(site), fake);
    const follower = { ...fixture.follower, database: engine.as('admin') };
    const wait = async (ms: number) => engine.clock.advance(ms);
    const input = {
      account: fixture.account.uid,
      from: new Date(engine.clock.nowMs() - 90 * DAY_MS),
      reason: 'a test',
    };
    await expect(rescanStatement({ ...admin(fixture), follower, wait }, TESTER, input)).resolves.toBeDefined();
    expect(fake.counts().refused).toBe(0);
  } finally {
    await fake.stop();
  }
});

/** Rescans one day of an exchange account, and runs `meanwhile` after the statement is read and before it is committed. */
async function rescanWhile(fixture: ExchangeFixture, meanwhile: () => Promise<void>): Promise<void> {
  const { engine, follower, account } = fixture;
  const { source } = follower;
  const readStatement: typeof source.readStatement = async (...asked) => {
    const rows = await source.readStatement(...asked);
    await meanwhile();
    return rows;
  };
  const slow = { ...follower, database: engine.as('admin'), source: { ...source, readStatement } };
  const input = { account: account.uid, from: new Date(engine.clock.nowMs() - DAY_MS), reason: 'a test' };
  await rescanStatement({ ...admin(fixture), follower: slow }, TESTER, input);
}

const stateOfRow = async ({ engine }: ExchangeFixture, id: string) => {
  const { rows } = await engine.database.pool.query<{ state: string; canonical: boolean; missing: boolean }>(
    'select block_hash as state, canonical, missing_since is not null as missing from transfers where tx_id = $1',
    [id],
  );
  return rows;
};

describe('a rescan that a poll overtakes', () => {
  test('leaves a row final that it has read as pending', async () => {
    const fixture = await openExchangeFixture(site);
    const open = await openPayment(fixture);
    const id = payQuote(fixture, open, { state: 'pending' });
    await poll(fixture);
    await rescanWhile(fixture, async () => {
      fixture.fake.settle(id, 'final');
      await pass(fixture, 30);
    });
    expect(await stateOfRow(fixture, id)).toEqual([{ state: 'final', canonical: true, missing: false }]);
    expect(await status(fixture, open)).toBe('completed');
    expect(await isStopped(fixture)).toBe(false);
  });

  test('does not take a row for missing that appeared after it has read', async () => {
    const fixture = await openExchangeFixture(site);
    const open = await openPayment(fixture);
    await poll(fixture);
    let id = '';
    await rescanWhile(fixture, async () => {
      id = payQuote(fixture, open, { atMs: fixture.engine.clock.nowMs() - 1_000 });
      await pass(fixture, 30);
    });
    expect(await stateOfRow(fixture, id)).toEqual([{ state: 'final', canonical: true, missing: false }]);
    expect(await status(fixture, open)).toBe('completed');
  });
});

test('a payment that is back at one exchange account does not end the stop of another that still lacks its own', async () => {
  const one = await openExchangeFixture(site);
  const other = await openNeighbour(one);
  const lost = await losePayment(one);
  await losePayment(other);
  expect([await isStopped(one), await isStopped(other)]).toEqual([true, true]);
  one.fake.restore(lost);
  for (let times = 0; times < 3; times += 1) {
    await pass(one, 30);
    await pass(other, 30);
  }
  expect([await isStopped(one), await isStopped(other)]).toEqual([false, true]);
});

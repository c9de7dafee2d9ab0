import type { Address } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { PAYER_LIMITS } from '../../src/invoices/name-payment.ts';
import { findLedgerFaults } from '../../src/ledger/ledger-sql.ts';
import { payFromWallet, payInternally, payNative } from '../../rig/chains/evm/payment.ts';
import { ACCOUNT_KEYS } from '../../rig/chains/evm/sender.ts';
import { changing, startRpcProxy } from '../../rig/chains/rpc-proxy.ts';
import {
  checkAsPayer,
  namedRowsOf,
  pruned,
  readNamed,
  requestsOf,
  through,
  without,
} from '../../rig/invoices/name-transactions.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { alarmsOf, auditOf, endOf, lookUp, standingOf, statusOf, transfersOf } from '../../rig/invoices/look-up.ts';
import {
  chainOf,
  followerOf,
  openPayableStore,
  openEngineFixture,
  secondsNow,
} from '../../rig/invoices/engine-fixture.ts';
import { command } from '../../rig/invoices/run-command.ts';
import { expire, explain, follow, mineAt, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { newInvoice, pay, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';

/** Submitted transactions: coins that no read shows are found, recorded with a reason, and attached manually. */

let engine: EngineFixture;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), ['BSC']);
  await follow(engine, 'BSC');
});
afterAll(() => engine.close());
/** Mines a block, so that tests never share one. */
beforeEach(() => mineNow(engine, 'BSC'));

const ONE_COIN = 10n ** 18n;
const TRACES = ['debug_traceTransaction', 'trace_transaction'];
const STRANGER = '0x00000000000000000000000000000000000057a6';
const node = () => chainOf(engine, 'BSC').anvil;

async function openQuote(token = 'BNB', store?: Awaited<ReturnType<typeof openPayableStore>>) {
  const own = store ?? (await openPayableStore(engine));
  const transId = await newInvoice(engine, own);
  const quote = await select(engine, transId, 'BSC', token);
  return { store: own, transId, quote, to: quote.toAddress as Address };
}

const name = (transId: string, tx: string, network = 'BSC') =>
  command(engine, 'transfer name', { invoice: transId, network, tx, reason: 'The payer wrote.' });
const attach = (transId: string, tx: string, index: string) =>
  command(engine, 'inbox attach', { invoice: transId, network: 'BSC', tx, index });
const innerOf = (to: string) => `inner:${to.toLowerCase()}`;

describe('coins that no read shows', () => {
  test('sent for a token invoice are kept as the wrong token, pay nothing by themselves, and can be attached', async () => {
    const { store, transId, to } = await openQuote('USDT');
    // A quarantined amount of the coin would make the reader fetch whole blocks.
    await engine.database.pool.query(`delete from amount_slots where token = 'BNB'`);
    const hash = await payNative(node(), { to, units: ONE_COIN });
    await settle(engine, 'BSC');
    expect(await namedRowsOf(engine, hash)).toEqual([]);
    expect(await checkAsPayer(engine, transId, hash)).toBe('wrong-token');
    await readNamed(engine);
    const row = { index: 'native', token: 'BNB', units: ONE_COIN, reason: 'wrong_token', named_by: 'payer' };
    expect(await namedRowsOf(engine, hash)).toMatchObject([row]);
    await settle(engine, 'BSC');
    expect(await namedRowsOf(engine, hash)).toMatchObject([{ ...row, canonical: true }]);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
    const inbox = await command(engine, 'inbox list', { store: store.merchantId });
    expect(inbox).toMatchObject([{ reason: 'wrong_token', named_by: 'payer', invoice: transId }]);
    await attach(transId, hash, 'native');
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
  });

  test.each([
    ["geth's tracer", [], 'trace'],
    ['the other dialect of traces', ['debug_traceTransaction'], 'trace'],
    ['balances, where nobody traces', TRACES, 'balances'],
  ])('sent by a contract wallet are found by %s', async (_name, refused, how) => {
    const { store, transId, quote, to } = await openQuote();
    const hash = await payFromWallet(node(), { to, units: unitsOf(quote) });
    await settle(engine, 'BSC');
    expect(await checkAsPayer(engine, transId, hash)).toBe('through-contract');
    await through(engine, without(...refused), (follower) => readNamed(engine, follower));
    const row = { index: 'inner', units: unitsOf(quote), reason: 'named', named_by: 'payer', read_how: how };
    expect(await namedRowsOf(engine, hash)).toMatchObject([row]);
    expect(await requestsOf(engine, transId)).toMatchObject([{ outcome: 'found' }]);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
    await attach(transId, hash, innerOf(to));
    expect(await statusOf(engine, store, transId)).toBe('completed');
  });

  test('are short or over by what a contract passed on, not by the value of the transaction', async () => {
    const { transId, quote, to } = await openQuote();
    const hash = await payInternally(node(), { to, units: unitsOf(quote) - 1n });
    await settle(engine, 'BSC');
    await name(transId, hash);
    await readNamed(engine);
    expect(await namedRowsOf(engine, hash)).toMatchObject([{ index: 'inner', reason: 'short', named_by: 'operator' }]);
    expect(await auditOf(engine, `invoice:${transId}`)).toContain('transfer.name');
  });

  test('stay away from comparing reads: a range that is read again neither doubts nor discards them', async () => {
    const { transId, quote, to } = await openQuote();
    const hash = await payFromWallet(node(), { to, units: unitsOf(quote) });
    await settle(engine, 'BSC');
    await name(transId, hash);
    await readNamed(engine);
    const { follower } = chainOf(engine, 'BSC');
    const before = { ...follower.counts };
    const { covered } = await standingOf(engine, 'BSC');
    await engine.database.pool.query(`update chain_coverage set height = height - 60 where network = 'BSC'`);
    await settle(engine, 'BSC');
    expect((await standingOf(engine, 'BSC')).covered['finalized']).toBeGreaterThan(covered['finalized'] ?? 0);
    expect(follower.counts).toEqual(before);
    expect(await alarmsOf(engine, 'chain:BSC')).not.toContain('transfer-doubted');
    expect(await namedRowsOf(engine, hash)).toMatchObject([{ canonical: true, reason: 'named' }]);
  });

  test('that a rescan shows are no longer only named, and are decided as any other', async () => {
    const { store, transId, to } = await openQuote('USDT');
    await engine.database.pool.query(`delete from amount_slots where token = 'BNB'`);
    const hash = await payNative(node(), { to, units: ONE_COIN });
    await settle(engine, 'BSC');
    await name(transId, hash);
    await readNamed(engine);
    const [row] = await transfersOf(engine, hash);
    const range = { from: `${row?.height}`, to: `${row?.height}`, reason: 'test' };
    await command(engine, 'chain rescan', { network: 'BSC', ...range });
    await explain(engine);
    expect(await namedRowsOf(engine, hash)).toMatchObject([
      { named_by: null, read_how: 'logs', reason: 'wrong_token' },
    ]);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
  });
});

describe('balances around a named transaction', () => {
  test('prove nothing when another transaction of the block may explain them; a trace shows both', async () => {
    const { store, transId, quote, to } = await openQuote();
    const other = await openQuote('BNB', store);
    const [, , payer] = ACCOUNT_KEYS;
    const hash = await payFromWallet(node(), { to, units: unitsOf(quote) });
    const second = await payFromWallet(node(), {
      to,
      units: unitsOf(other.quote),
      ...(payer && { from: payer.address }),
    });
    await settle(engine, 'BSC');
    await name(transId, hash);
    await through(engine, without(...TRACES), (follower) => readNamed(engine, follower));
    expect(await requestsOf(engine, transId)).toMatchObject([{ outcome: 'ambiguous' }]);
    expect(await namedRowsOf(engine, hash)).toEqual([]);
    await name(transId, hash);
    await name(other.transId, second);
    await readNamed(engine);
    expect(await namedRowsOf(engine, hash)).toMatchObject([{ units: unitsOf(quote), reason: 'named' }]);
    expect(await namedRowsOf(engine, second)).toMatchObject([{ units: unitsOf(other.quote), reason: 'named' }]);
  });

  test('prove nothing when the node has deleted the state', async () => {
    const { transId, quote, to } = await openQuote();
    const hash = await payFromWallet(node(), { to, units: unitsOf(quote) });
    await settle(engine, 'BSC');
    await name(transId, hash);
    await through(engine, pruned, (follower) => readNamed(engine, follower));
    expect(await requestsOf(engine, transId)).toMatchObject([{ outcome: 'pruned' }]);
    expect(await namedRowsOf(engine, hash)).toEqual([]);
  });

  test('never show more than the gain of the block less what is recorded there', async () => {
    const { store, transId, quote, to } = await openQuote();
    const other = await openQuote('BNB', store);
    const inner = await payFromWallet(node(), { to, units: unitsOf(quote) });
    const direct = await pay(engine, other.quote);
    await settle(engine, 'BSC');
    expect(await statusOf(engine, store, other.transId)).toBe('completed');
    const taken = unitsOf(quote) - 1_000n;
    await engine.database.pool.query(
      `insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at, reason)
       select network, '0x01', 'inner:x', token, from_address, to_address, $2, height, block_hash, block_time, seen_at, 'unknown'
       from transfers where tx_id = $1`,
      [direct, taken],
    );
    await name(transId, inner);
    await through(engine, without(...TRACES), (follower) => readNamed(engine, follower));
    expect(await namedRowsOf(engine, inner)).toMatchObject([{ units: 1_000n, reason: 'short', read_how: 'balances' }]);
  });
});

describe('a named transaction', () => {
  test('is stored once for an invoice and a transaction, and only so many are', async () => {
    const { transId, to } = await openQuote();
    const hash = await payFromWallet(node(), { to, units: ONE_COIN });
    const more = await Promise.all(
      Array.from({ length: PAYER_LIMITS.ofInvoice + 2 }, () => payFromWallet(node(), { to: STRANGER, units: 1n })),
    );
    await settle(engine, 'BSC');
    await checkAsPayer(engine, transId, hash);
    await checkAsPayer(engine, transId, hash);
    expect(await requestsOf(engine, transId)).toHaveLength(1);
    for (const each of more) await checkAsPayer(engine, transId, each);
    expect(await requestsOf(engine, transId)).toHaveLength(PAYER_LIMITS.ofInvoice);
    await readNamed(engine);
    await checkAsPayer(engine, transId, hash);
    expect((await requestsOf(engine, transId))[0]).toMatchObject({ tx_id: hash, outcome: 'found' });
    expect(await namedRowsOf(engine, hash)).toHaveLength(1);
  });

  test('waits until every tier is covered past the transaction', async () => {
    const { transId, quote, to } = await openQuote();
    const hash = await payFromWallet(node(), { to, units: unitsOf(quote) });
    await mineNow(engine, 'BSC');
    await checkAsPayer(engine, transId, hash);
    await readNamed(engine);
    expect(await requestsOf(engine, transId)).toMatchObject([{ outcome: null }]);
    expect(await namedRowsOf(engine, hash)).toEqual([]);
    await settle(engine, 'BSC');
    await readNamed(engine);
    expect(await namedRowsOf(engine, hash)).toMatchObject([{ reason: 'named' }]);
  });

  test('records nothing that went to another address, even of the same merchant', async () => {
    const { store, transId } = await openQuote();
    const other = await openQuote();
    const hash = await payFromWallet(node(), { to: other.to, units: ONE_COIN });
    await settle(engine, 'BSC');
    await name(transId, hash);
    await readNamed(engine);
    expect(await requestsOf(engine, transId)).toMatchObject([{ outcome: 'nothing' }]);
    expect(await namedRowsOf(engine, hash)).toEqual([]);
    expect(await statusOf(engine, store, transId)).toBe('waiting');
  });

  test('records nothing that came before the quote', async () => {
    const store = await openPayableStore(engine);
    const before = await openQuote('BNB', store);
    const hash = await payFromWallet(node(), { to: before.to, units: ONE_COIN });
    await settle(engine, 'BSC');
    engine.clock.advance(300_000);
    const { transId, to } = await openQuote('BNB', store);
    expect(to).toBe(before.to);
    await checkAsPayer(engine, transId, hash);
    expect(await requestsOf(engine, transId)).toEqual([]);
    await name(transId, hash);
    await readNamed(engine);
    expect(await requestsOf(engine, transId)).toMatchObject([{ outcome: 'out-of-window' }]);
    expect(await namedRowsOf(engine, hash)).toEqual([]);
  });

  test('is tried again while two providers show different traces', async () => {
    const { transId, quote, to } = await openQuote();
    const hash = await payFromWallet(node(), { to, units: unitsOf(quote) });
    await settle(engine, 'BSC');
    await name(transId, hash);
    const proxy = await startRpcProxy(node().url);
    proxy.answer(
      changing((call, result) =>
        call.method === 'debug_traceTransaction' ? { ...(result as object), calls: [] } : result,
      ),
    );
    const both = followerOf(engine, 'BSC', [node().url, proxy.url]);
    await readNamed(engine, both);
    expect(await requestsOf(engine, transId)).toMatchObject([{ outcome: null }]);
    expect(await namedRowsOf(engine, hash)).toEqual([]);
    proxy.answerTruly();
    await readNamed(engine, both);
    await proxy.stop();
    expect(await namedRowsOf(engine, hash)).toMatchObject([{ units: unitsOf(quote) }]);
  });

  test('is tried again when coverage has fallen below it since it was read', async () => {
    const { transId, quote, to } = await openQuote();
    const hash = await payFromWallet(node(), { to, units: unitsOf(quote) });
    await settle(engine, 'BSC');
    await name(transId, hash);
    const move = (blocks: number) =>
      engine.database.pool.query(`update chain_coverage set height = height + $1 where network = 'BSC'`, [blocks]);
    let isLowered = false;
    const failpoint = async (point: string) => {
      if (point !== 'named:before-commit' || isLowered) return;
      isLowered = true;
      await move(-60);
    };
    await readNamed(engine, followerOf(engine, 'BSC', [node().url], { failpoint }));
    expect(isLowered).toBe(true);
    expect(await namedRowsOf(engine, hash)).toEqual([]);
    await move(60);
    await readNamed(engine);
    expect(await namedRowsOf(engine, hash)).toMatchObject([{ units: unitsOf(quote) }]);
  });

  test.each([
    ['froze', 'frozen_at = now()', 'frozen_at = null'],
    ['was rewound', 'rewinds = rewinds + 1', 'rewinds = rewinds'],
  ])('is tried again when its network %s while it was read', async (_what, change, undo) => {
    const { transId, quote, to } = await openQuote();
    const hash = await payFromWallet(node(), { to, units: unitsOf(quote) });
    await settle(engine, 'BSC');
    await name(transId, hash);
    const changeNetwork = (set: string) => engine.database.pool.query(`update chains set ${set} where network = 'BSC'`);
    const failpoint = async (point: string) => {
      if (point === 'named:before-commit') await changeNetwork(change);
    };
    await readNamed(engine, followerOf(engine, 'BSC', [node().url], { failpoint }));
    expect(await namedRowsOf(engine, hash)).toEqual([]);
    expect(await requestsOf(engine, transId)).toMatchObject([{ outcome: null }]);
    await changeNetwork(undo);
    await readNamed(engine);
    expect(await namedRowsOf(engine, hash)).toMatchObject([{ units: unitsOf(quote) }]);
  });

  test('with an impossible invoice, network or transaction is refused', async () => {
    const { transId } = await openQuote();
    await expect(name('TID-0000000000000000', `0x${'ab'.repeat(32)}`)).rejects.toThrow('no invoice');
    await expect(name(transId, '0x12')).rejects.toThrow('not a transaction');
    await expect(name(transId, `0x${'ab'.repeat(32)}`, 'ETH')).rejects.toThrow('never quoted');
    await expect(name(transId, `0x${'ab'.repeat(32)}`, 'SOL')).rejects.toThrow('invoice recheck');
  });
});

describe('a token payment that both reads lacked', () => {
  test('completes its invoice when the payer names it: its receipt proves it', async () => {
    const { store, transId, quote } = await openQuote('USDT');
    const hash = await pay(engine, quote);
    await mineAt(engine, 'BSC', secondsNow(engine));
    const end = await endOf(engine, transId);
    const hide = changing((call, result) => {
      const isLogs = call.method === 'eth_getLogs' || call.method === 'eth_getBlockReceipts';
      if (!isLogs || !Array.isArray(result)) return result;
      return call.method === 'eth_getLogs'
        ? result.filter((log: { transactionHash: string }) => log.transactionHash !== hash)
        : result.map((one: { transactionHash: string }) => (one.transactionHash === hash ? { ...one, logs: [] } : one));
    });
    await through(engine, hide, async (follower) => {
      await mineNow(engine, 'BSC', 20);
      await follow(engine, 'BSC', follower);
      await mineAt(engine, 'BSC', end + 30);
      await mineNow(engine, 'BSC', 30);
      await follow(engine, 'BSC', follower);
    });
    await expire(engine);
    expect(await statusOf(engine, store, transId)).toBe('expired');
    expect(await checkAsPayer(engine, transId, hash)).toBe('matches');
    await readNamed(engine);
    expect(await lookUp(engine, store, transId)).toMatchObject({ status: 'completed', transaction_hash: hash });
    expect(await alarmsOf(engine, transId)).toEqual(['found-late']);
    expect(await namedRowsOf(engine, hash)).toMatchObject([{ named_by: null, read_how: 'receipt' }]);
  });
});

test('balances recomputed from the entries alone agree', async () => {
  expect(await findLedgerFaults(engine.database.queries, 10)).toEqual([]);
});

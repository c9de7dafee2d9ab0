import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { SignedTransaction } from '../../rig/chains/evm/signed.ts';
import { sendSigned, signPayment } from '../../rig/chains/evm/signed.ts';
import { reorg } from '../../rig/chains/evm/reorg.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { chainOf, openEngineFixture, openPayableStore } from '../../rig/invoices/engine-fixture.ts';
import { expire, follow, mineNow, settle } from '../../rig/invoices/follow-network.ts';
import { endOf } from '../../rig/invoices/look-up.ts';
import { newInvoice, select, unitsOf } from '../../rig/invoices/pay-invoice.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import type { Outcome, Step } from './scenario-table.ts';
import { isLike, SCENARIO_TABLE } from './scenario-table.ts';

/** The scenario table on a chain: the same facts on a real node give what the sandbox gives. */

const NETWORK = 'ETH';
const PAYER = 3;
/** Blocks that show a payment and are fewer than its tier asks for. */
const SEEN_BLOCKS = 6;
const SECONDS_PAST_END = 60;

let engine: EngineFixture;
let store: TestStore;
beforeAll(async () => {
  engine = await openEngineFixture(inject('template'), [NETWORK]);
  store = await openPayableStore(engine);
  await follow(engine, NETWORK);
});
afterAll(() => engine.close());

type Quote = Awaited<ReturnType<typeof select>>;
type Life = { transId: string; quote: Quote; sent: SignedTransaction[]; isRead: boolean; blocksSince: number };

const node = () => chainOf(engine, NETWORK).anvil;

function unitsPaid(quote: Quote, how: string): bigint {
  const units = unitsOf(quote);
  return how === 'short' ? units - units / 100n : how === 'over' ? units + units / 100n : units;
}

async function readOn(life: Life): Promise<void> {
  if (!life.isRead) return;
  await follow(engine, NETWORK);
  await expire(engine);
}

async function takeStep(life: Life, step: Step): Promise<void> {
  if ('pay' in step) {
    const token = canonicalToken(1, step.pay === 'wrong_token' ? 'USDC' : 'USDT').address;
    const to = life.quote.toAddress as `0x${string}`;
    const signed = await signPayment(node(), { payer: PAYER, to, units: unitsPaid(life.quote, step.pay), token });
    await sendSigned(node(), signed);
    life.sent.push(signed);
    life.blocksSince = SEEN_BLOCKS;
    await mineNow(engine, NETWORK, SEEN_BLOCKS);
    if (step.slow !== true && life.isRead) await settle(engine, NETWORK);
  }
  if ('confirm' in step) await settle(engine, NETWORK);
  if ('reorg' in step) await takeBack(life, step.reorg);
  if ('pass' in step) await passEnd(life);
  if ('outage' in step) life.isRead = step.outage === 'ends';
  await readOn(life);
  if ('until' in step && !isLike(await outcomeOf(life), step.until))
    throw new Error(`The invoice is not as described: ${JSON.stringify(await outcomeOf(life))}`);
}

/** Replaces the blocks from the last payment on. */
async function takeBack(life: Life, how: 'gone' | 'returns'): Promise<void> {
  const signed = life.sent.at(-1);
  if (!signed) throw new Error('Nothing was paid.');
  const receipt = await node().rpc<{ blockNumber: string }>('eth_getTransactionReceipt', [signed.hash]);
  const head = Number(await node().rpc<string>('eth_blockNumber', []));
  const depth = head - Number(receipt.blockNumber) + 1;
  await reorg(node(), depth, how === 'returns' ? [{ rawTransaction: signed.rawTransaction, offset: 1 }] : []);
  await mineNow(engine, NETWORK);
}

/** Lets the invoice's end pass. A slow payment has not settled then: only one block has been mined. */
async function passEnd(life: Life): Promise<void> {
  const pastSeconds = (await endOf(engine, life.transId)) + SECONDS_PAST_END;
  engine.clock.advance(Math.max(0, pastSeconds * 1_000 - engine.clock.nowMs()));
  await mineNow(engine, NETWORK);
  const isSlow = life.sent.length > 0 && life.isRead && (await outcomeOf(life)).status === 'processing';
  if (!isSlow && life.isRead) await settle(engine, NETWORK);
}

async function outcomeOf({ transId, sent }: Life): Promise<Outcome> {
  const { rows } = await engine.database.pool.query<{ status: string; late: boolean; events: string[] }>(
    `select i.status, i.late, array(select e.type from events e where e.invoice_id = i.id order by e.sequence) as events
     from invoices i where i.trans_id = $1`,
    [transId],
  );
  const [invoice] = rows;
  if (!invoice) throw new Error('There is no invoice.');
  const found = await engine.database.pool.query<Outcome['transfers'][number] & { reason: string | null }>(
    `select t.canonical as in_chain, coalesce(t.id = i.paid_transfer_id, false) as pays, t.reason
     from transfers t cross join (select paid_transfer_id from invoices where trans_id = $1) i
     where t.tx_id = any($2) order by t.id`,
    [transId, sent.map(({ hash }) => hash)],
  );
  const transfers = found.rows.map(({ reason, in_chain, pays }) =>
    reason === null ? { in_chain, pays } : { in_chain, pays, reason },
  );
  return { ...invoice, transfers };
}

describe('on a chain', () => {
  test.each(SCENARIO_TABLE)('an invoice that is $name', async ({ steps, outcome, ledger }) => {
    const transId = await newInvoice(engine, store, '25');
    const life = { transId, quote: await select(engine, transId, NETWORK), sent: [], isRead: true, blocksSince: 0 };
    for (const step of steps) await takeStep(life, step);
    await settle(engine, NETWORK);
    await expire(engine);
    expect(await outcomeOf(life)).toEqual(outcome);
    const { rows } = await engine.database.pool.query<{ kind: string }>(
      `select l.kind from ledger_entries l join invoices i on i.id = l.invoice_id where i.trans_id = $1 order by l.id`,
      [transId],
    );
    expect(rows.map(({ kind }) => kind)).toEqual(ledger);
  });
});

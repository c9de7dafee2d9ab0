import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { CommandLine } from '../../rig/commands/command-line.ts';
import { openCommandLine } from '../../rig/commands/command-line.ts';
import { countWaits } from '../../rig/database/count-waits.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { createMakeInvoice } from '../../rig/invoices/make-invoice.ts';
import { admitStore } from '../../rig/stores/admit-store.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { LIFTED_PLAN, openStore } from '../../rig/stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';

/** Commands that change what stores pay. */

const MANY = 210;
const PAGE = 200;
const WITHIN = { timeout: 60_000, interval: 10 };

let own: TestDatabase;
let line: CommandLine;
let store: TestStore;
let plans = 0;
let requests = 0;
let plan: string;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  line = openCommandLine(own);
});
afterAll(() => own.drop());
beforeEach(async () => {
  plans += 1;
  plan = `plan-${plans}`;
  store = await openStore(own.database, { plan: { ...LIFTED_PLAN, code: plan, trialDays: 0 } });
});

/** Creates an invoice of 100 USD and returns its code. */
async function makeInvoice(): Promise<string> {
  requests += 1;
  const body = { request_id: `request-${requests}`, amount: '100.00', merchant_id: store.merchantId };
  return createMakeInvoice(own.as('api'))(await admitStore(own.as('api'), store), systemClock, body);
}

async function feeOf(transId: string): Promise<bigint | undefined> {
  const { rows } = await own.database.pool.query<{ fee: bigint }>(
    'select fee_micro_usd as fee from invoices where trans_id = $1',
    [transId],
  );
  return rows[0]?.fee;
}

async function lastAudit(): Promise<unknown> {
  const { rows } = await own.database.pool.query(
    'select action, subject, details from audit_entries order by id desc limit 1',
  );
  return rows[0];
}

async function countAudit(): Promise<unknown> {
  const { rows } = await own.database.pool.query('select count(*) from audit_entries');
  return rows[0];
}

test('a plan change applies to invoices created from now on, and not to those that exist', async () => {
  const earlier = await makeInvoice();
  await line.ask('plan', 'change', '--code', plan, '--fee-rate', '1.25');
  expect([await feeOf(earlier), await feeOf(await makeInvoice())]).toEqual([500_000n, 1_250_000n]);
  await line.ask('plan', 'change', '--code', plan, '--minimum-fee', '2');
  expect([await feeOf(earlier), await feeOf(await makeInvoice())]).toEqual([500_000n, 2_000_000n]);
});

test('a plan change shows and records all values before and after', async () => {
  const before = {
    plan,
    fee_percent: '0.5',
    minimum_fee_usd: '0.00',
    trial_days: 0,
    creates_per_second: 1_000_000,
    creates_per_minute: 1_000_000,
    lookups_per_second: 1_000_000,
    lookups_per_minute: 1_000_000,
  };
  const words = ['--trial-days', '14', '--create-burst', '3', '--create-sustained', '30', '--lookup-burst', '9'];
  expect(await line.ask('plan', 'change', '--code', plan, ...words, '--lookup-sustained', '90')).toEqual({
    before: [before],
    after: [
      {
        ...before,
        trial_days: 14,
        creates_per_second: 3,
        creates_per_minute: 30,
        lookups_per_second: 9,
        lookups_per_minute: 90,
      },
    ],
  });
  expect(await lastAudit()).toMatchObject({
    action: 'plan.change',
    details: { before: { feeRatePercent: '0.5', trialDays: 0 }, after: { feeRatePercent: '0.5', trialDays: 14 } },
  });
});

test('new trial days of a plan apply to stores created from now on', async () => {
  await line.ask('plan', 'change', '--code', plan, '--trial-days', '14');
  const later = await openStore(own.database, { plan: { code: plan } });
  expect(later.trialEndsAt).toBeInstanceOf(Date);
  const { rows } = await own.database.pool.query('select trial_ends_at from stores where id = $1', [store.id]);
  expect(rows).toEqual([{ trial_ends_at: null }]);
});

test('a plan change that changes nothing, an unknown plan and invalid values are refused and not recorded', async () => {
  const before = await countAudit();
  for (const words of [[], ['--fee-rate', '0.50'], ['--minimum-fee', '0']])
    expect(await line.refusal('plan', 'change', '--code', plan, ...words)).toBe(
      `The plan ${plan} already has these values.`,
    );
  expect(await line.refusal('plan', 'change', '--code', 'none', '--fee-rate', '1')).toBe('There is no plan none.');
  for (const words of [
    ['--fee-rate', '100.01'],
    ['--minimum-fee=-1'],
    ['--create-burst', '0'],
    ['--trial-days', '1.5'],
  ])
    expect(await line.refusal('plan', 'change', '--code', plan, ...words)).toContain(`${words[0]?.split('=')[0]}: `);
  expect(await countAudit()).toEqual(before);
});

/** Runs a command while another client has a change under way, which is committed once the command waits for it. */
async function askBeside(change: string, values: unknown[], ...words: string[]): Promise<unknown> {
  const other = await own.database.pool.connect();
  await other.query('begin');
  await other.query(change, values);
  const asked = line.ask(...words);
  await expect.poll(() => countWaits(own.database), WITHIN).toBe(1);
  await other.query('commit');
  other.release();
  return asked;
}

test('a plan change waits for another one that is under way, and keeps what that one changed', async () => {
  const change = 'update plans set fee_rate_percent = 2 where code = $1';
  await askBeside(change, [plan], 'plan', 'change', '--code', plan, '--trial-days', '9');
  const { rows } = await own.database.pool.query(
    'select fee_rate_percent = 2 as "isKept", trial_days as days from plans where code = $1',
    [plan],
  );
  expect(rows).toEqual([{ isKept: true, days: 9 }]);
});

test('a discount waits for another one that is under way, and records that one as the one before', async () => {
  const change = 'update stores set discount_percent = 10 where id = $1';
  const words = ['store', 'discount', '--store', store.merchantId, '--percent', '20'];
  expect(await askBeside(change, [store.id], ...words)).toMatchObject({ before: '10', discount_percent: '20' });
});

test('a store that is put on another plan keeps the fee of its invoices, and pays that plan from now on', async () => {
  await line.ask('plan', 'create', '--code', `${plan}-dear`, '--fee-rate', '3', '--create-burst', '100');
  const earlier = await makeInvoice();
  const words = ['store', 'plan', '--store', store.merchantId, '--plan', `${plan}-dear`];
  expect(await line.ask(...words)).toEqual({ store: store.merchantId, before: plan, plan: `${plan}-dear` });
  expect(await lastAudit()).toEqual({
    action: 'store.plan',
    subject: `store:${store.id}`,
    details: { before: plan, after: `${plan}-dear` },
  });
  expect([await feeOf(earlier), await feeOf(await makeInvoice())]).toEqual([500_000n, 3_000_000n]);
  const audited = await countAudit();
  expect(await line.refusal(...words)).toBe(`The store ${store.merchantId} already has this.`);
  expect(await line.refusal('store', 'plan', '--store', 'MID-X', '--plan', plan)).toBe('There is no store MID-X.');
  expect(await line.refusal('store', 'plan', '--store', store.merchantId, '--plan', 'none')).toBe(
    'There is no plan none.',
  );
  expect(await countAudit()).toEqual(audited);
});

test('a discount applies to invoices created from now on, and is recorded', async () => {
  const earlier = await makeInvoice();
  const words = ['store', 'discount', '--store', store.merchantId, '--percent'];
  expect(await line.ask(...words, '12.50')).toEqual({
    store: store.merchantId,
    before: '0',
    discount_percent: '12.5',
  });
  expect(await lastAudit()).toEqual({
    action: 'store.discount',
    subject: `store:${store.id}`,
    details: { before: '0', after: '12.5' },
  });
  expect([await feeOf(earlier), await feeOf(await makeInvoice())]).toEqual([500_000n, 437_500n]);
  const audited = await countAudit();
  expect(await line.refusal(...words, '12.5')).toBe(`The store ${store.merchantId} already has this.`);
  for (const wrong of ['100.01', '-1', '1.234', 'all']) expect(await line.refusal(...words, wrong)).toMatch(/percent/);
  expect(await line.refusal('store', 'discount', '--store', 'MID-X', '--percent', '1')).toBe(
    'There is no store MID-X.',
  );
  expect(await countAudit()).toEqual(audited);
});

test('plans are listed page by page with their number of stores, each exactly once', async () => {
  expect(await line.ask('plan', 'list')).toContainEqual(
    expect.objectContaining({ plan, fee_percent: '0.5', minimum_fee_usd: '0.00', stores: '1' }),
  );
  await own.database.pool.query(
    `insert into plans (code, fee_rate_percent, created_at) select 'many-' || n, 1, now() from generate_series(1, ${MANY}) n`,
  );
  const listed: string[] = [];
  for (let after: string[] = []; ;) {
    const page = (await line.ask('plan', 'list', ...after)) as { plan: string }[];
    listed.push(...page.map((one) => one.plan));
    if (page.length < PAGE) break;
    after = ['--after', listed.at(-1) ?? ''];
  }
  const { rows } = await own.database.pool.query<{ code: string }>('select code from plans');
  expect(listed).toEqual(rows.map(({ code }) => code).toSorted());
});

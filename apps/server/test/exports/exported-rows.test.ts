import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { NETWORKS } from '../../rig/chains/networks.ts';
import { makeFile } from '../../rig/exports/make-files.ts';
import { parseTable } from '../../rig/exports/parse-csv.ts';
import { attachAsked } from '../../rig/invoices/attach-asked.ts';
import { quoteInvoice, receiveUnmatched, settleChain } from '../../rig/invoices/make-unmatched.ts';
import { SILENT } from '../../rig/jobs/job-fixture.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import { personOf } from '../../rig/people/person-of.ts';
import { giveApp, makePerson, nextCode, signInByPassword } from '../../rig/people/make-person.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { LIFTED_PLAN, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { recordAudit } from '../../src/audit/record-audit.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import type { ExportKind } from '../../src/exports/export.ts';
import { requestExport } from '../../src/exports/request-export.ts';
import type { Jobs } from '../../src/jobs/open-jobs.ts';
import { openJobs } from '../../src/jobs/open-jobs.ts';
import { creditBalance } from '../../src/ledger/credit-balance.ts';
import { createManualClock, dateFromUnix, systemClock } from '../../src/lib/clock.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { createStore } from '../../src/stores/create-store.ts';

/** Whether files have the rows that they should: compared with what was done, and with what the dashboard lists. */

let site: DashboardSite;
let store: TestStore;
let owner: RigMember;
let jobs: Jobs;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  jobs = await openJobs(site.database, SILENT);
  await settleChain(site.database);
});
afterAll(async () => {
  await jobs.close();
  await site.close();
});
beforeEach(async () => {
  store = await openStore(site.database, { ring: await openKeyRing(site.path) });
  owner = await makeMember(site, 'owner', { account: '', merchantAccountId: store.merchantAccountId });
});

const send = (method: string, path: string, body?: unknown, by = owner) =>
  by.person.browser.send(method, `/accounts/${by.account}${path}`, body);

/** Another store of the same merchant, without an address. */
async function openBeside(): Promise<{ id: bigint; merchantId: string }> {
  const { merchantAccountId, ring } = store;
  const context = { networks: NETWORKS, database: site.database, clock: systemClock, ring, jobs: undefined };
  return createStore(context, TESTER, {
    merchantAccountId,
    name: 'Beside',
    planCode: LIFTED_PLAN.code,
    discountPercent: '0',
    lifetimeMinutes: 30,
    httpsCallbacksOnly: false,
  });
}

/** Has a member see one store only. */
async function limit({ person: { code } }: RigMember, storeId = store.id): Promise<void> {
  const { pool } = site.database;
  const person = '(select id from people where code = $1)';
  await pool.query(`update memberships set all_stores = false where person_id = ${person}`, [code]);
  const statement = `insert into membership_stores select $2, ${person}, $3`;
  await pool.query(statement, [code, store.merchantAccountId, storeId]);
}

const HOUR_MS = 3_600_000;

type Body = { kind: ExportKind; store?: string; from?: number };

/** Asks for a file an hour from now, so that everything that was done so far belongs to it. */
async function ask({ kind, store: merchantId, from }: Body, by = owner): Promise<string> {
  const clock = createManualClock(systemClock.nowMs() + HOUR_MS);
  const fromAt = from === undefined ? null : dateFromUnix(from);
  return requestExport(
    { database: site.database, clock, jobs: undefined, exportJobs: jobs },
    await personOf(site.database, by.person.code),
    { merchantCode: by.account, kind, merchantId, fromAt, toAt: null, status: null },
  );
}

const make = (code: string) => makeFile({ database: site.database, worker: site.as('worker') }, code);

async function fetchText(code: string, by = owner): Promise<string> {
  const { status, text } = await send('GET', `/exports/${code}/file`, undefined, by);
  expect(status).toBe(200);
  return text;
}

/** The text of a file that is asked for, made and fetched. */
async function textOf(body: Body, by = owner): Promise<string> {
  const code = await ask(body, by);
  await make(code);
  return fetchText(code, by);
}

const perform = () => attachAsked(site.as('worker'));

/** Money that a member attached to an invoice, which it completed. */
async function attach(of = store): Promise<{ transId: string; quoteId: bigint; to: string }> {
  const quoted = await quoteInvoice(site.database, of, '50');
  const transfer = await receiveUnmatched(site.database, quoted.to, { amount: '50', quoteId: quoted.quoteId });
  await send('POST', `/unmatched/${transfer}/attach`, { invoice: quoted.transId, wait_seconds: 0 });
  await perform();
  return quoted;
}

describe('an export of the audit', () => {
  test('has what the audit in the dashboard has: also who attached money to an invoice', async () => {
    const { transId } = await attach();
    const listed = (await send('GET', '/audit')).body.data?.['entries'] as { action: string }[];
    const rows = parseTable(await textOf({ kind: 'audit' }));
    const actions = rows.map(({ action }) => action);
    // The request for the file itself is no part of it.
    expect(actions.slice(0, -1)).toEqual(listed.map(({ action }) => action).toReversed());
    expect(actions).toEqual(expect.arrayContaining(['transfer.ask', 'transfer.attach']));
    expect(rows.find(({ action }) => action === 'transfer.attach')).toMatchObject({ subject: `invoice:${transId}` });
  });

  test('of one store has what was done about its invoices, and not about those of another', async () => {
    const beside = await openBeside();
    const { transId } = await attach();
    const partial = await makeMember(site, 'finance', owner);
    await limit(partial);
    const subjects = async (merchantId: string) =>
      new Set(parseTable(await textOf({ kind: 'audit', store: merchantId })).map(({ subject }) => subject));
    expect(await subjects(store.merchantId)).toEqual(new Set([store.merchantId, `invoice:${transId}`, owner.account]));
    expect(await subjects(beside.merchantId)).toEqual(new Set([beside.merchantId, owner.account]));
    const seen = parseTable(await textOf({ kind: 'audit' }, partial)).slice(0, -1);
    expect(new Set(seen.map(({ subject }) => subject))).toEqual(new Set([store.merchantId, `invoice:${transId}`]));
  });

  test('does not tell the code of an operator who looked at the merchant', async () => {
    const person = await makePerson(site, 'support');
    await signInByPassword(person);
    await giveApp(person);
    await person.browser.send('POST', '/session/step-up', { password: person.password, totp: nextCode(person) });
    const view = { account: owner.account, reason: 'A customer asks for an invoice' };
    expect(await person.browser.send('POST', '/operator/views', view)).toMatchObject({ status: 200 });
    const text = await textOf({ kind: 'audit' });
    expect(parseTable(text).find(({ action }) => action === 'merchant.look')).toMatchObject({ actor: 'operator' });
    expect(text).not.toContain(person.code);
  });

  test('does not tell the name of an operator in what an entry says', async () => {
    const details = { change: 'MCH-1', requestedBy: 'cli:jane.doe' };
    const fact = { action: 'wallet.add', subject: `store:${store.id}`, details } as const;
    await inTransaction(site.database, (tx) => recordAudit(tx, systemClock, { kind: 'worker', name: 'w' }, fact));
    const text = await textOf({ kind: 'audit' });
    expect(text).toContain('MCH-1');
    expect(text).not.toContain('jane.doe');
  });
});

test('an export whose asker sees fewer stores by the time it is made says which stores it has', async () => {
  const beside = await openBeside();
  const asker = await makeMember(site, 'finance', owner);
  const code = await ask({ kind: 'statement' }, asker);
  await limit(asker);
  await make(code);
  expect((await send('GET', `/exports/${code}`)).body.data).toMatchObject({
    state: 'done',
    stores: [store.merchantId],
  });
  const stores = new Set(parseTable(await fetchText(code, asker)).map((row) => row['store']));
  expect(stores).toEqual(new Set([store.merchantId]));
  expect(stores).not.toContain(beside.merchantId);
});

test('an export of transfers tells of one payment that it pays the invoice, and its fee once', async () => {
  const { transId, quoteId, to } = await attach();
  const second = await receiveUnmatched(site.database, to, { amount: '50', quoteId });
  const { pool } = site.database;
  // As the engine explains a second payment of the same quote.
  await pool.query(
    `update transfers set invoice_id = (select id from invoices where trans_id = $1), reason = 'already_paid' where id = $2`,
    [transId, second],
  );
  await pool.query('update invoices set fee_micro_usd = 250000 where trans_id = $1', [transId]);
  const rows = parseTable(await textOf({ kind: 'transfers' }));
  expect(rows.map(({ pays, reason, tid, fee_usd: fee }) => [pays, reason, tid, fee])).toEqual([
    ['yes', '', transId, '0.25'],
    ['no', 'already_paid', transId, ''],
  ]);
});

test('an export of transfers has all transfers of one block, over the borders of its pages', async () => {
  const { to } = await quoteInvoice(site.database, store, '50');
  for (let count = 0; count < 7; count += 1) await receiveUnmatched(site.database, to, { amount: '1' });
  const { rows: heights } = await site.database.pool.query(
    'select distinct height from transfers where to_address = $1',
    [to],
  );
  expect(heights).toHaveLength(1);
  const rows = parseTable(await textOf({ kind: 'transfers' }));
  expect([rows.length, new Set(rows.map(({ tx }) => tx)).size]).toEqual([7, 7]);
});

test('an entry of the very moment that a statement begins with is listed, and not in what there was before', async () => {
  const at = Math.floor(systemClock.nowMs() / 1_000) - 2;
  const credit = { store: store.ref, microUsd: 7_000_000n, note: 'x' };
  await creditBalance({ database: site.database, clock: createManualClock(at * 1_000) }, TESTER, credit);
  const rows = parseTable(await textOf({ kind: 'statement', from: at }));
  const entries = rows.filter(({ line }) => line === 'entry');
  const moved = entries.reduce((sum, one) => sum + Number(one['amount_usd']), 0);
  expect(entries.map((one) => one['amount_usd'])).toContain('7.00');
  expect(rows.at(-1)).toMatchObject({ line: 'closing', available_usd: '1007.00' });
  expect(Number(rows[0]?.['available_usd'])).toBe(1_007 - moved);
});

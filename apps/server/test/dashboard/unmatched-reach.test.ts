import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { attachAsked } from '../../rig/invoices/attach-asked.ts';
import { quoteInvoice, receiveUnmatched, settleChain } from '../../rig/invoices/make-unmatched.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigMember } from '../../rig/people/make-member.ts';
import { limitMember, makeMember } from '../../rig/people/make-member.ts';
import type { StoreBeside } from '../../rig/stores/open-beside.ts';
import { openBeside } from '../../rig/stores/open-beside.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { nextAddress, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { newTopup } from '../../rig/topups/topup-rig.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { setStorePurpose } from '../../src/stores/set-store-purpose.ts';

/** Who reaches money that pays nothing, where stores of one merchant share an address, and how far. */

let site: DashboardSite;
let store: TestStore;
let owner: RigMember;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  await settleChain(site.database);
});
afterAll(() => site.close());
beforeEach(async () => {
  store = await openStore(site.database, { ring: await openKeyRing(site.path) });
  owner = await makeMember(site, 'owner', { account: '', merchantAccountId: store.merchantAccountId });
});

const query = (text: string, values: unknown[] = []) => site.database.pool.query(text, values);
const send = (method: string, path: string, body?: unknown, by = owner) =>
  by.person.browser.send(method, `/accounts/${by.account}${path}`, body);
const list = async (by = owner) => JSON.stringify((await send('GET', '/unmatched', undefined, by)).body);
const attach = (transfer: string, invoice: string, by = owner) =>
  send('POST', `/unmatched/${transfer}/attach`, { invoice, wait_seconds: 0 }, by);
const perform = () => attachAsked(site.as('worker'));

/** What became of an invoice and of the requests to attach something to it. */
async function outcomeOf(transId: string): Promise<unknown> {
  const { rows } = await query(
    `select i.status, array(select a.state || coalesce(' ' || a.fault, '') from attachments a
       where a.invoice_id = i.id order by a.id) as asked from invoices i where i.trans_id = $1`,
    [transId],
  );
  return rows[0];
}

describe('a member of one store, where another store has the same address,', () => {
  let beside: StoreBeside;
  let member: RigMember;
  beforeEach(async () => {
    const { rows } = await query('select address from wallets where store_id = $1', [store.id]);
    beside = await openBeside(site.database, store, String(rows[0]?.address));
    member = await makeMember(site, 'finance', owner);
    await limitMember(site, member, [store.id]);
  });

  test('is not shown money that was meant for an invoice of the other', async () => {
    const theirs = await quoteInvoice(site.database, beside, '77.5');
    const transfer = await receiveUnmatched(site.database, theirs.to, { amount: '77', quoteId: theirs.quoteId });
    const free = await receiveUnmatched(site.database, theirs.to, { amount: '3', reason: 'unknown' });
    expect((await send('GET', `/invoices/${theirs.transId}`, undefined, member)).status).toBe(404);
    const shown = await list(member);
    expect(shown).not.toContain(theirs.transId);
    expect(shown).not.toContain(`"${transfer}"`);
    expect(shown).toContain(`"${free}"`);
    expect(await list()).toContain(theirs.transId);
  });

  test('is not told to which invoice of the other somebody attaches money', async () => {
    const theirs = await quoteInvoice(site.database, beside, '5');
    const mine = await quoteInvoice(site.database, store, '600');
    const transfer = await receiveUnmatched(site.database, theirs.to, { amount: '4', reason: 'unknown' });
    const { attachment } = (await attach(transfer, theirs.transId)).body.data ?? {};
    expect(await list(member)).not.toContain(theirs.transId);
    const answer = await attach(transfer, mine.transId, member);
    expect(answer.body.error_code).toBe('ATTACHMENT_WAITS');
    expect(JSON.stringify(answer.body)).not.toContain(theirs.transId);
    expect((await send('GET', `/attachments/${String(attachment)}`, undefined, member)).status).toBe(404);
    expect((await send('GET', `/attachments/${String(attachment)}`)).status).toBe(200);
  });

  test.each(['attach', 'dismiss', 'restore'])('reaches no money that was meant for the other: %s', async (act) => {
    const theirs = await quoteInvoice(site.database, beside, '77.5');
    const mine = await quoteInvoice(site.database, store, '600');
    const transfer = await receiveUnmatched(site.database, theirs.to, { amount: '77', quoteId: theirs.quoteId });
    const bodies: Record<string, unknown> = {
      attach: { invoice: mine.transId, wait_seconds: 0 },
      dismiss: { note: 'not ours' },
      restore: {},
    };
    const answer = await send('POST', `/unmatched/${transfer}/${act}`, bodies[act], member);
    const absent = await send('POST', `/unmatched/999999999999/${act}`, bodies[act], member);
    expect([answer.status, answer.body]).toEqual([404, absent.body]);
    expect(await outcomeOf(mine.transId)).toEqual({ status: 'waiting', asked: [] });
  });
});

describe('a request to attach is refused when its turn comes, after its member', () => {
  const personOf = '(select id from people where code = $1)';
  test.each<[string, (member: RigMember) => Promise<unknown>]>([
    ['was removed from the team', ({ person }) => send('DELETE', `/team/${person.code}`)],
    [
      'got a role that attaches nothing',
      ({ person: { code } }) => query(`update memberships set role = 'viewer' where person_id = ${personOf}`, [code]),
    ],
    ['sees the store no more', (member) => limitMember(site, member, [])],
    [
      'may not sign in any more',
      ({ person: { code } }) => query('update people set disabled_at = now() where code = $1', [code]),
    ],
  ])('%s', async (_title, change) => {
    const { transId, quoteId, to } = await quoteInvoice(site.database, store, '50');
    const transfer = await receiveUnmatched(site.database, to, { amount: '1', quoteId });
    const member = await makeMember(site, 'finance', owner);
    expect((await attach(transfer, transId, member)).status).toBe(200);
    await change(member);
    await perform();
    expect(await outcomeOf(transId)).toEqual({ status: 'waiting', asked: ['refused NO_PERMISSION'] });
  });

  test('sees the money no more, which turned out to be meant for another store', async () => {
    const mine = await quoteInvoice(site.database, store, '50');
    const beside = await openBeside(site.database, store, mine.to);
    const theirs = await quoteInvoice(site.database, beside, '60');
    const transfer = await receiveUnmatched(site.database, mine.to, { amount: '59', reason: 'unknown' });
    const member = await makeMember(site, 'finance', owner);
    await limitMember(site, member, [store.id]);
    expect((await attach(transfer, mine.transId, member)).status).toBe(200);
    await query('update transfers set quote_id = $2 where id = $1', [transfer, theirs.quoteId]);
    await perform();
    expect(await outcomeOf(mine.transId)).toEqual({ status: 'waiting', asked: ['refused TRANSFER_UNKNOWN'] });
  });
});

test('money of a store beyond the two-hundredth can be attached and put aside, and its invoice be looked at', async () => {
  await query(
    `insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
     select s.merchant_account_id, 'MID-MANY' || s.id || '-' || n, s.shard, 'Many', s.plan_id, now() from stores s, generate_series(1, 200) n
     where s.id = $1`,
    [store.id],
  );
  const last = await openBeside(site.database, store, nextAddress());
  const { transId, quoteId, to } = await quoteInvoice(site.database, last, '9');
  const transfer = await receiveUnmatched(site.database, to, { amount: '8', quoteId });
  const listed = await send('GET', `/unmatched?store=${last.merchantId}`);
  expect(JSON.stringify(listed.body)).toContain(`"${transfer}"`);
  expect((await send('POST', `/unmatched/${transfer}/dismiss`, { note: 'x' })).status).toBe(200);
  expect((await send('POST', `/unmatched/${transfer}/restore`, {})).status).toBe(200);
  const { attachment } = (await attach(transfer, transId)).body.data ?? {};
  expect((await send('GET', `/attachments/${String(attachment)}`)).body.data).toMatchObject({ invoice: transId });
  await perform();
  expect(await outcomeOf(transId)).toEqual({ status: 'completed', asked: ['done'] });
  expect((await send('GET', `/invoices/${transId}`)).body.data).toMatchObject({ invoice: { store: last.merchantId } });
  const { rows } = await query('select event_id from events where store_id = $1', [last.id]);
  for (const typed of [transId, String(rows[0]?.event_id)])
    expect((await send('GET', `/search?q=${typed}`)).body.data?.['results']).toMatchObject([
      { store: last.merchantId },
    ]);
});

describe('the invoice of a top-up takes from a member', () => {
  const CENTS = { short: '24.99', full: '25' };
  test.each<[string, keyof typeof CENTS, string, string]>([
    ['no less than its amount', 'short', 'refused TOPUP_NOT_COVERED', '0'],
    ['its full amount', 'full', 'done', '25000000'],
  ])('%s', async (_title, sent, asked, credited) => {
    await query(`update stores set purpose = null where purpose = 'topup'`);
    await setStorePurpose({ database: site.database, clock: systemClock }, TESTER, {
      store: store.ref,
      purpose: 'topup',
    });
    const shop = await openStore(site.database, { ring: store.ring, creditMicroUsd: 0n });
    const { transId } = await newTopup({ database: site.database, as: site.as, clock: systemClock }, shop, 25n);
    const clerk = await makeMember(site, 'finance', owner);
    const { to, quoteId } = await quoteInvoice(site.database, store, '25');
    await query('update quotes set invoice_id = (select id from invoices where trans_id = $1) where id = $2', [
      transId,
      quoteId,
    ]);
    const transfer = await receiveUnmatched(site.database, to, { amount: CENTS[sent], reason: 'unknown' });
    expect((await attach(transfer, transId, clerk)).status).toBe(200);
    await perform();
    const { rows } = await query('select available_micro_usd as available from balances where store_id = $1', [
      shop.id,
    ]);
    expect(await outcomeOf(transId)).toMatchObject({ asked: [asked] });
    expect(String(rows[0]?.available)).toBe(credited);
  });
});

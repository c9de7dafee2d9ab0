import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { requireMailAddress } from '../../src/mail/mail-address.ts';
import { activateMerchant } from '../../src/merchants/activate-merchant.ts';
import { activateStore } from '../../src/stores/activate-store.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { gatherMethodChanged } from '../../src/wallets/gather-method-notices.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { signInByPassword } from '../../rig/people/make-person.ts';
import type { MethodMerchant } from '../../rig/people/method-rig.ts';
import {
  addressOf,
  applyDue,
  changesOf,
  contextOf,
  lockTokenOf,
  mailsOf,
  networksOf,
  openMember,
  openMerchant,
  workerContext,
} from '../../rig/people/method-rig.ts';
import { nextAddress, TESTER } from '../../rig/stores/open-store.ts';

/** Payment-method changes of a live store: they wait, owners are notified, and each can stop them. */

const DAY_SECONDS = 86_400;

let site: DashboardSite;
beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
});
afterAll(() => site.close());

let merchant: MethodMerchant;
let owner: RigPerson;
beforeEach(async () => {
  merchant = await openMerchant(site);
  owner = await openMember(site, merchant);
});

const ask = (network = 'ETH', address = nextAddress(), by = owner) =>
  by.browser.send('POST', merchant.changes, { network, address });

async function auditOf(): Promise<{ action: string; details: Record<string, unknown> }[]> {
  const { rows } = await site.database.pool.query<{ action: string; details: Record<string, unknown> }>(
    'select action, details from audit_entries where subject = $1 order by id',
    [`store:${merchant.store.id}`],
  );
  return rows;
}

async function alarms(): Promise<unknown[]> {
  const { rows } = await site.database.pool.query<{ kind: string; fault: unknown }>(
    `select kind, details ->> 'fault' as fault from alarms where subject = $1`,
    [`store:${merchant.store.id}`],
  );
  return rows;
}

describe('a new address of a live store', () => {
  test('waits for the delay, is told to every owner and to nobody else, and is then applied', async () => {
    const second = await openMember(site, merchant);
    const admin = await openMember(site, merchant, 'admin');
    const { status, body } = await ask('ETH', nextAddress(), admin);
    const { change, effective_at: effectiveAt } = body.data ?? {};
    expect({ status, change }).toMatchObject({ status: 200, change: expect.stringMatching(/^MCH-/) });
    const { rows } = await site.database.pool.query(
      'select floor(extract(epoch from requested_at))::float8 + $2 as effective_at from method_changes where code = $1',
      [change, DAY_SECONDS],
    );
    expect(rows).toEqual([{ effective_at: effectiveAt }]);
    expect(await networksOf(site, merchant)).toEqual(['BSC']);
    const announced = await mailsOf(site, merchant);
    expect(announced.map(({ template, to }) => [template, to])).toEqual([
      ['method-change-requested', owner.mail],
      ['method-change-requested', second.mail],
    ]);

    await applyDue(site, merchant);
    expect(await networksOf(site, merchant)).toEqual(['BSC', 'ETH']);
    expect(await changesOf(site, merchant)).toMatchObject([{ code: change, state: 'applied' }]);
    expect((await auditOf()).at(-1)).toMatchObject({ action: 'wallet.add', details: { change } });
    const told = (await mailsOf(site, merchant)).slice(announced.length);
    expect(told.map(({ template, to }) => [template, to])).toEqual([
      ['method-changed', owner.mail],
      ['method-changed', second.mail],
    ]);
    const context = { ...workerContext(site), dashboardUrl: site.dashboardUrl };
    expect(await gatherMethodChanged(context, told[0]?.data ?? {}, requireMailAddress(owner.mail))).toMatchObject({
      merchant: 'Test merchant',
      store: 'Test store',
      network: 'ETH',
    });
  });

  test('is not applied before its time', async () => {
    await ask();
    await site.database.pool.query(`update method_changes set effective_at = now() + interval '1 minute'`);
    const other = await openMerchant(site);
    await applyDue(site, other);
    expect(await changesOf(site, merchant)).toMatchObject([{ state: 'pending' }]);
  });

  test('is shown with what the store has, and to a viewer not at all', async () => {
    await ask();
    const { body } = await owner.browser.send('GET', merchant.methods);
    expect(body.data).toMatchObject({
      locked_at: null,
      delay_hours: 24,
      methods: [{ network: 'BSC', kind: 'wallet' }],
      changes: [{ network: 'ETH', state: 'pending', requested_by: owner.code }],
    });
    const viewer = await openMember(site, merchant, 'viewer');
    expect(await viewer.browser.send('GET', merchant.methods)).toMatchObject({ status: 403 });
  });

  test('needs a step-up and a second factor, as its removal does, and without them changes nothing', async () => {
    const bare = await openMember(site, merchant);
    await site.database.pool.query(
      `update sessions set elevated_until = null where person_id =
      (select id from people where code = $1)`,
      [bare.code],
    );
    expect(await ask('ETH', nextAddress(), bare)).toMatchObject({ body: { error_code: 'STEP_UP_NEEDED' } });
    await site.database.pool.query('delete from totp where person_id = (select id from people where code = $1)', [
      bare.code,
    ]);
    await signInByPassword(bare);
    await bare.browser.send('POST', '/session/step-up', { password: bare.password });
    expect(await ask('ETH', nextAddress(), bare)).toMatchObject({ status: 403, body: { error_code: 'FACTOR_NEEDED' } });
    const path = `${merchant.methods}/BSC/${await addressOf(site, merchant)}`;
    expect(await bare.browser.send('DELETE', path)).toMatchObject({
      status: 403,
      body: { error_code: 'FACTOR_NEEDED' },
    });
    expect(await changesOf(site, merchant)).toEqual([]);
    expect(await networksOf(site, merchant)).toEqual(['BSC']);
  });

  test('is the only one that waits on its network', async () => {
    await ask('ETH');
    expect(await ask('ETH')).toMatchObject({ status: 409, body: { error_code: 'METHOD_CHANGE_WAITS' } });
    expect(await ask('POLYGON')).toMatchObject({ status: 200 });
  });

  test('is one of at most fifty in a day', async () => {
    await site.database.pool.query(
      `insert into method_changes (code, merchant_account_id, store_id, kind, network, family, address, requested_by,
         requested_at, effective_at, state, decided_by, decided_at)
       select 'MCH-' || $1::bigint || '-' || n, $2::bigint, $1::bigint, 'wallet', 'ETH', 'evm', 'x', 'y', now(), now(), 'cancelled', 'y', now()
       from generate_series(1, 50) n`,
      [merchant.store.id, merchant.store.merchantAccountId],
    );
    expect(await ask()).toMatchObject({ status: 429, body: { error_code: 'TOO_MANY_METHOD_CHANGES' } });
  });

  test.each([
    ['where it receives already', 'BSC', undefined, 409, 'METHOD_EXISTS'],
    ['that is no address', 'ETH', '0x12', 400, 'METHOD_UNFIT'],
    ['on a network that nobody knows', 'NONE', nextAddress(), 400, 'METHOD_UNFIT'],
    ['at a platform, which needs a key', 'EXCHANGE_PAY:BINANCE', '12345678', 400, 'METHOD_UNFIT'],
  ])('%s is refused', async (_title, network, address, status, code) => {
    const asked = address ?? (await addressOf(site, merchant));
    expect(await ask(network, asked)).toMatchObject({ status, body: { error_code: code } });
  });
});

describe('at once', () => {
  test('takes effect the first method of a store, and the owners are told', async () => {
    const fresh = await openMerchant(site, { wallet: false });
    const person = await openMember(site, fresh);
    const { browser } = person;
    const first = await browser.send('POST', fresh.changes, { network: 'BSC', address: nextAddress() });
    expect(first.body.data).toMatchObject({ change: null, effective_at: null });
    expect(await networksOf(site, fresh)).toEqual(['BSC']);
    expect(await mailsOf(site, fresh)).toMatchObject([{ template: 'method-changed', to: person.mail }]);
    const next = await browser.send('POST', fresh.changes, { network: 'ETH', address: nextAddress() });
    expect(next.body.data).toMatchObject({ change: expect.stringMatching(/^MCH-/) });
  });

  test('takes effect no method of a store that had one and removed it', async () => {
    const address = await addressOf(site, merchant);
    expect(await owner.browser.send('DELETE', `${merchant.methods}/BSC/${address}`)).toMatchObject({ status: 200 });
    expect((await mailsOf(site, merchant)).at(-1)).toMatchObject({ template: 'method-removed', to: owner.mail });
    expect(await networksOf(site, merchant)).toEqual([]);
    expect((await ask('BSC')).body.data).toMatchObject({ change: expect.stringMatching(/^MCH-/) });
  });

  test('takes effect what an operator orders with a reason: audited, told, and it ends what waits for the same', async () => {
    const address = nextAddress();
    const wallet = { store: merchant.store.ref, network: 'ETH', address };
    expect((await addWallet(contextOf(site), TESTER, wallet)).waiting?.change).toMatch(/^MCH-/);
    expect(await networksOf(site, merchant)).toEqual(['BSC']);
    await addWallet(contextOf(site), TESTER, { ...wallet, now: { reason: 'the merchant called' } });
    expect(await networksOf(site, merchant)).toEqual(['BSC', 'ETH']);
    expect(await changesOf(site, merchant)).toMatchObject([{ state: 'applied' }]);
    expect((await auditOf()).at(-1)).toMatchObject({
      action: 'wallet.add',
      details: { atOnce: 'ordered', reason: 'the merchant called' },
    });
    expect((await mailsOf(site, merchant)).map(({ template }) => template)).toEqual([
      'method-change-requested',
      'method-changed',
    ]);
  });

  test('takes effect a removal, which ends what waits on the same network and nothing else', async () => {
    await ask('BSC');
    await ask('ETH');
    const address = await addressOf(site, merchant);
    await owner.browser.send('DELETE', `${merchant.methods}/BSC/${address}`);
    expect(await changesOf(site, merchant)).toMatchObject([{ state: 'removed' }, { state: 'pending' }]);
    await applyDue(site, merchant);
    expect(await networksOf(site, merchant)).toEqual(['ETH']);
  });
});

describe('a change that waits', () => {
  test('is cancelled by an owner or admin, once; its mail is then not sent, and the owners are told who cancelled it', async () => {
    const { body } = await ask();
    const path = `/accounts/${merchant.account}/method-changes/${String(body.data?.['change'])}/cancel`;
    const finance = await openMember(site, merchant, 'finance');
    expect(await finance.browser.send('POST', path, {})).toMatchObject({ status: 403 });
    expect(await owner.browser.send('POST', path, {})).toMatchObject({ status: 200 });
    expect(await owner.browser.send('POST', path, {})).toMatchObject({
      status: 409,
      body: { error_code: 'METHOD_CHANGE_DECIDED' },
    });
    expect(await lockTokenOf(site, merchant, owner)).toBeUndefined();
    const data = { change: body.data?.['change'], by: owner.code };
    const told = { template: 'method-change-cancelled', to: owner.mail, data };
    expect((await mailsOf(site, merchant)).at(-1)).toMatchObject(told);
    await applyDue(site, merchant);
    expect(await networksOf(site, merchant)).toEqual(['BSC']);
  });

  test.each<[string, () => Promise<void>, string]>([
    [
      'whose store was switched off',
      () => activateStore(contextOf(site), TESTER, { store: merchant.store.ref, active: false }),
      'store-inactive',
    ],
    [
      'whose merchant was switched off',
      () => activateMerchant(contextOf(site), TESTER, { ...merchant.store, active: false }),
      'merchant-inactive',
    ],
    [
      'whose address another merchant has claimed meanwhile',
      async () => {
        const other = await openMerchant(site, { wallet: false });
        const [change] = await changesOf(site, merchant);
        const wallet = { store: other.store.ref, network: 'ETH', address: change?.address ?? '' };
        await addWallet(contextOf(site), TESTER, wallet);
      },
      'address-of-another-merchant',
    ],
  ])('%s ends with a fault and an alarm, and is not tried again', async (_title, happen, fault) => {
    await ask();
    await happen();
    await applyDue(site, merchant);
    expect(await changesOf(site, merchant)).toMatchObject([{ state: 'failed', fault }]);
    expect(await networksOf(site, merchant)).toEqual(['BSC']);
    expect(await alarms()).toEqual([{ kind: 'method-change-failed', fault }]);
    await applyDue(site, merchant);
    expect(await alarms()).toHaveLength(1);
    expect((await auditOf()).at(-1)).toMatchObject({ action: 'method.fail', details: { fault } });
  });

  const OF_PERSON = 'person_id = (select id from people where code = $1)';
  test.each([
    ['was removed', `delete from memberships where ${OF_PERSON}`],
    ['may only look at invoices now', `update memberships set role = 'viewer' where ${OF_PERSON}`],
    ['sees other stores now', `update memberships set all_stores = false where ${OF_PERSON}`],
    ['may not sign in any more', 'update people set disabled_at = now() where code = $1'],
  ])('is not applied when the admin who asked for it %s', async (_title, happen) => {
    const admin = await openMember(site, merchant, 'admin');
    await ask('ETH', nextAddress(), admin);
    await site.database.pool.query(happen, [admin.code]);
    await applyDue(site, merchant);
    expect(await changesOf(site, merchant)).toMatchObject([{ state: 'failed', fault: 'requester-not-allowed' }]);
    expect(await networksOf(site, merchant)).toEqual(['BSC']);
    expect(await alarms()).toEqual([{ kind: 'method-change-failed', fault: 'requester-not-allowed' }]);
  });

  test('is applied when the owner who asked for it is an admin by now', async () => {
    const second = await openMember(site, merchant);
    await ask('ETH', nextAddress(), second);
    await site.database.pool.query(`update memberships set role = 'admin' where ${OF_PERSON}`, [second.code]);
    await applyDue(site, merchant);
    expect(await networksOf(site, merchant)).toEqual(['BSC', 'ETH']);
  });
});

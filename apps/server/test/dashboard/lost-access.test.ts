import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { openKeyRingFixture } from '../../rig/database/key-ring-fixture.ts';
import type { TransactionGate } from '../../rig/database/gate-transactions.ts';
import { startTransactionGate } from '../../rig/database/gate-transactions.ts';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { DASHBOARD_URL } from '../../rig/people/dashboard-site.ts';
import { joinMerchant } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { enter, makePerson } from '../../rig/people/make-person.ts';
import { startDashboard } from '../../rig/processes/server-process.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { LIFTED_PLAN, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { removeMember } from '../../src/people/remove-member.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';

/** A member is removed after a request was allowed and before what it writes. */

let site: DashboardSite;
let gate: TransactionGate;
let store: TestStore;
let account: string;
let member: RigPerson;

beforeAll(async () => {
  const fixture = await openKeyRingFixture(inject('template'));
  gate = await startTransactionGate(fixture.url);
  const server = await startDashboard(gate.through(fixture.url), {
    COUNTERFOIL_KEY_RING_FILE: fixture.path,
    COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.1',
    COUNTERFOIL_STORE_PLAN: LIFTED_PLAN.code,
  });
  const close = async () => {
    await server.stop();
    await gate.stop();
    await fixture.close();
  };
  site = { ...fixture, server, dashboardUrl: DASHBOARD_URL, close };
  store = await openStore(site.database, { ring: await openKeyRing(site.path) });
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    store.merchantAccountId,
  ]);
  account = rows[0]?.code ?? '';
  await joinMerchant(site, await makePerson(site), store.merchantAccountId, 'owner');
});
afterAll(() => site.close());

beforeEach(async () => {
  member = await makePerson(site);
  await enter(site, member);
});

const context = () => ({ database: site.database, clock: systemClock, jobs: undefined });

/** Sends a request during which the member is removed before a transaction; undefined without that many. */
async function sendRemoved(number: number, [method, path, body]: readonly [string, string, unknown]) {
  const { merchantAccountId } = store;
  await joinMerchant(site, member, merchantAccountId, 'admin');
  const remove = () => removeMember(context(), TESTER, { merchantAccountId, person: member.code, reason: 'left' });
  gate.before(number, async () => void (await remove()));
  const { status, body: answer } = await member.browser.send(method, path, body);
  if (gate.clear()) return { status, code: answer.error_code };
  await remove();
  return undefined;
}

/** What the audit says that the member did. */
async function auditedOf({ code }: RigPerson): Promise<string[]> {
  const { rows } = await site.database.pool.query<{ action: string }>(
    'select action from audit_entries where actor = $1',
    [`person:${code}`],
  );
  return rows.map(({ action }) => action);
}

const BRAND = { display_name: 'Shop', accent: null, support_url: null, support_email: null };
const REQUESTS: Record<string, (base: string) => readonly [string, string, unknown]> = {
  'what emails tell': () => ['PUT', '/me/notifications', { account, wanted: { balance: false } }],
  'a new store': () => ['POST', `/accounts/${account}/stores`, { name: 'Another', mode: 'live' }],
  'settings of a store': (base) => ['PATCH', base, { name: 'Renamed' }],
  'a store that is switched off': (base) => ['POST', `${base}/activity`, { active: false }],
  'a brand': (base) => ['PUT', `${base}/brand`, BRAND],
  'a new API key': (base) => ['POST', `${base}/key`, { overlap_hours: 24 }],
  'a new webhook secret': (base) => ['POST', `${base}/webhook-secret`, { overlap_hours: 0 }],
  'the balance that alarms': (base) => ['PATCH', `${base}/balance`, { low_balance: '2.00' }],
  'a test event': (base) => ['POST', `${base}/webhook-test`, { url: 'https://shop.example/test' }],
  'an export': () => ['POST', `/accounts/${account}/exports`, { kind: 'invoices' }],
};

test.each(Object.keys(REQUESTS))(
  'a member who is removed while a request about %s runs is answered like a stranger, and nothing is written',
  async (name) => {
    const request = REQUESTS[name]?.(`/accounts/${account}/stores/${store.merchantId}`);
    if (!request) throw new Error(`There is no request about ${name}.`);
    const answers = [];
    for (let number = 0; ; number += 1) {
      const answer = await sendRemoved(number, request);
      if (!answer) break;
      answers.push(answer);
    }
    expect(answers).toEqual(answers.map(() => ({ status: 404, code: 'NOT_FOUND' })));
    expect(answers).not.toEqual([]);
    // The last request was not disturbed.
    expect((await auditedOf(member)).length).toBeLessThanOrEqual(1);
  },
);

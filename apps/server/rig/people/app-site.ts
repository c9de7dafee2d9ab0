import { systemClock } from '../../src/lib/clock.ts';
import { createMerchant } from '../../src/merchants/create-merchant.ts';
import { createPlan } from '../../src/merchants/create-plan.ts';
import { addMember } from '../../src/people/add-member.ts';
import type { Template } from '../database/template-database.ts';
import { freePort } from '../fakes/listen.ts';
import { LIFTED_PLAN, TESTER } from '../stores/open-store.ts';
import type { MailedSite } from './mailed-site.ts';
import { openMailedSite } from './mailed-site.ts';
import type { RigPerson } from './make-person.ts';
import { makePerson, signInByPassword } from './make-person.ts';

/** The dashboard as browsers use it: its app at its own address, real emails, and a merchant with an owner. */

export type AppSite = MailedSite & { account: string; owner: RigPerson };

const PLAN = {
  ...LIFTED_PLAN,
  feeRatePercent: '0.5',
  minimumFeeMicroUsd: 0n,
  trialDays: 0,
};

/** The address of payment pages, which the dashboard only names: nothing answers there. */
const CHECKOUT_URL = 'https://pay.counterfoil.example';

export async function openAppSite(
  template: Template,
  merchant = 'Northwind Trading',
  settings: Record<string, string> = {},
  workerSettings: Record<string, string> = {},
): Promise<AppSite> {
  const port = await freePort();
  const own = {
    // Passkeys belong to a host name, so the address is no IP address.
    COUNTERFOIL_DASHBOARD_URL: `http://localhost:${port}`,
    COUNTERFOIL_DASHBOARD_PORT: String(port),
    COUNTERFOIL_STORE_PLAN: PLAN.code,
    COUNTERFOIL_CHECKOUT_URL: CHECKOUT_URL,
  };
  const site = await openMailedSite(template, { ...own, ...settings }, workerSettings);
  const context = { database: site.database, clock: systemClock, jobs: undefined };
  await createPlan(context, TESTER, PLAN);
  const merchantAccountId = await createMerchant(context, TESTER, { name: merchant });
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  const owner = await makePerson(site);
  await addMember(context, TESTER, { merchantAccountId, personCode: owner.code, role: 'owner' });
  await signInByPassword(owner);
  await owner.browser.send('POST', '/session/step-up', { password: owner.password });
  // On a slow machine a journey takes longer than the ten minutes of a step-up.
  await site.database.pool.query(
    `update sessions set elevated_until = now() + interval '1 day' where elevated_until is not null`,
  );
  return { ...site, account: rows[0]?.code ?? '', owner };
}

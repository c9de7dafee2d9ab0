import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Page } from '../../apps/checkout/preview/browser.ts';
import type { CheckoutView } from '../../apps/checkout/src/checkout-view.ts';
import { makeFinal, makeSeen, resumeBlocks, stopBlocks } from '../../apps/server/rig/chains/evm/live-chain.ts';
import { TLS_HOSTS } from '../../apps/server/rig/processes/caddy.ts';
import { waitUntil } from '../../apps/server/rig/processes/wait-until.ts';
import type { SecuredSite } from '../../apps/server/rig/site/secured-site.ts';
import { openSecuredSite } from '../../apps/server/rig/site/secured-site.ts';
import { TESTER } from '../../apps/server/rig/stores/open-store.ts';
import { systemClock } from '../../apps/server/src/lib/clock.ts';
import { addMember } from '../../apps/server/src/people/add-member.ts';
import { createPerson } from '../../apps/server/src/people/create-person.ts';
import { choose, expectTitle, readOrder, sendPayment, visit } from '../customer.ts';
import type { Visit } from '../dashboard/person.ts';
import { fill, openVisit, press, pressIn, requireNoFaults } from '../dashboard/person.ts';
import { countViewers, createOrder } from './create-order.ts';
import { call } from './secure-call.ts';
import type { TrustingBrowser } from './trusting-browser.ts';
import { launchTrustingBrowser } from './trusting-browser.ts';

/** A merchant's owner and a customer, over HTTPS and by host names, with the settings of production. */

let site: SecuredSite;
let trusting: TrustingBrowser;
let owner: Visit;
beforeAll(async () => {
  site = await openSecuredSite(inject('template'));
  trusting = await launchTrustingBrowser(site.caddy.rootCertificate);
  owner = await openVisit(trusting.browser, site.caddy.dashboardUrl);
});
afterAll(async () => {
  await trusting?.close();
  await site?.close();
});

const MAREN = { mail: 'maren@northwind.example', name: 'Maren Lindqvist', password: 'three words of maren' };
const SOON = { pollMs: 20 };

/** Collects what the content security policy of a page refuses. */
async function watchPolicy(page: Page): Promise<string[]> {
  const refused: string[] = [];
  await page.exposeFunction('tellRefused', (what: string) => refused.push(what));
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      Reflect.apply(Reflect.get(window, 'tellRefused'), window, [`${violatedDirective} ${blockedURI}`]);
    });
  });
  return refused;
}

type Received = { url: string; type: string; protocol: string };

/** Collects how each answer came to a page. */
async function watchProtocols(page: Page): Promise<Received[]> {
  const received: Received[] = [];
  const session = await page.context().newCDPSession(page);
  session.on('Network.responseReceived', ({ response: { url, mimeType, protocol = '' } }) => {
    received.push({ url, type: mimeType, protocol });
  });
  await session.send('Network.enable');
  return received;
}

async function inviteOwner(): Promise<string> {
  const context = { database: site.database, clock: systemClock, jobs: undefined };
  const { code, linkToken } = await createPerson(context, TESTER, {
    mail: { normal: MAREN.mail, shown: MAREN.mail },
    name: MAREN.name,
    language: 'en',
    operatorRole: null,
  });
  await addMember(context, TESTER, {
    merchantAccountId: site.store.merchantAccountId,
    personCode: code,
    role: 'owner',
  });
  return `${site.caddy.dashboardUrl}/reset/${linkToken}`;
}

async function merchantCode(): Promise<string> {
  const { rows } = await site.database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    site.store.merchantAccountId,
  ]);
  return rows[0]?.code ?? '';
}

test('a browser that does not know the authority of the certificates goes no further', async () => {
  const stranger = await launchTrustingBrowser();
  try {
    const page = await stranger.browser.newPage();
    await expect(page.goto(site.caddy.checkoutUrl)).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID');
  } finally {
    await stranger.close();
  }
});

test("an owner signs in with a password and then with a passkey of the dashboard's host; the cookie is bound to it", async () => {
  const { page, context, finger } = owner;
  const refused = await watchPolicy(page);
  await page.goto(await inviteOwner());
  await fill(page, 'New password', MAREN.password);
  await press(page, 'Save password');
  await page.getByText('Your password was saved').waitFor();
  // Without a finger on the device: the browser offers passkeys automatically.
  await finger(false);
  await page.getByRole('link', { name: 'Go to sign-in' }).click();
  await fill(page, 'Email', MAREN.mail);
  await fill(page, 'Password', MAREN.password);
  await press(page, 'Continue with password');
  await page.waitForURL(`${site.caddy.dashboardUrl}/m/**`);
  await finger(true);
  await page.goto(`${site.caddy.dashboardUrl}/me/security`);
  await press(page, 'Add a passkey');
  await fill(page, 'Name', 'Laptop');
  await pressIn(page, 'Create passkey');
  await page.getByRole('heading', { name: 'Confirm it’s you' }).waitFor();
  await fill(page, 'Password', MAREN.password);
  await pressIn(page, 'Confirm');
  await page.getByText('Laptop').waitFor();

  const bound = { secure: true, httpOnly: true, sameSite: 'Lax', path: '/', domain: TLS_HOSTS.dashboard };
  const cookies = (await context.cookies()).toSorted((one, other) => (one.name < other.name ? -1 : 1));
  expect(cookies).toMatchObject([
    { name: '__Host-counterfoil', ...bound },
    { name: '__Host-counterfoil-device', ...bound },
  ]);
  await context.clearCookies();
  // The browser offers the passkey automatically, and the finger on the device accepts it.
  await page.goto(`${site.caddy.dashboardUrl}/sign-in`);
  await page.waitForURL(`${site.caddy.dashboardUrl}/m/**`);
  expect(refused).toEqual([]);
  requireNoFaults(owner);
});

test('a customer chooses, pays on the chain and sees each state by the stream, over HTTP/2; the owner sees the invoice paid', async () => {
  const list = owner.page;
  await list.goto(`${site.caddy.dashboardUrl}/m/${await merchantCode()}/invoices`);
  const { url } = await createOrder(site, { name: 'Two bags of coffee' });
  expect(new URL(url).hostname).toBe(TLS_HOSTS.checkout);
  const row = list.getByRole('row', { name: /Two bags of coffee/ });
  const fresh = list.getByRole('button', { name: '1 new, show' });
  await row.or(fresh).first().waitFor();
  if (await fresh.isVisible()) await fresh.click();
  await row.getByText('Waiting').waitFor();

  let received: Received[] = [];
  let refused: string[] = [];
  const { page, context, faults, loads } = await visit(trusting.browser, url, {
    prepare: async (opened) => {
      received = await watchProtocols(opened);
      refused = await watchPolicy(opened);
    },
  });
  await expectTitle(page, 'Choose how to pay');
  await choose(page, 'USDT', 'BNB Smart Chain');
  await expectTitle(page, 'Send your payment');
  await waitUntil(async () => (await countViewers(site)) === 1, { what: 'No stream is open.', ...SOON });
  const order = await readOrder(page);
  const state = await call(`${url}/state`, { ca: site.caddy.rootCertificate });
  const { quote } = JSON.parse(state.text) as CheckoutView;
  if (!quote) throw new Error('Nothing was chosen.');
  expect(order).toEqual({ amount: quote.amount, token: quote.token, address: quote.address });
  const askedBefore = received.length;
  await stopBlocks(site.chain);
  await sendPayment(site.chain, quote);
  await makeSeen(site.chain);
  await expectTitle(page, 'Payment seen');
  await makeFinal(site.chain);
  await resumeBlocks(site.chain);
  await expectTitle(page, 'Paid');
  await row.locator('.badge-good').getByText('Completed').waitFor();

  expect(loads()).toBe(1);
  const own = received.filter(({ url: from }) => from.startsWith(site.caddy.checkoutUrl));
  expect(new Set(own.map(({ protocol }) => protocol))).toEqual(new Set(['h2']));
  const streams = own.filter(({ type }) => type === 'text/event-stream').map(({ url: from }) => from);
  // One before the choice and one after it, and none of them a second time.
  expect(new Set(streams).size).toBe(2);
  expect(streams).toHaveLength(2);
  // A page with a broken stream requests the state repeatedly.
  expect(received.slice(askedBefore).filter(({ url: from }) => from.includes('/state'))).toEqual([]);
  expect([...refused, ...faults]).toEqual([]);
  await context.close();
  await waitUntil(async () => (await countViewers(site)) === 0, { what: 'A closed stream stays open.', ...SOON });
  requireNoFaults(owner);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Role } from '@counterfoil/core/permission.ts';
import { withDrillDatabase } from '../../rig/database/drill-database.ts';
import { ALICE } from '../../rig/database/key-ring-fixture.ts';
import { freePort, LOOPBACK } from '../../rig/fakes/listen.ts';
import { NO_PRICES } from '../../rig/fakes/price-servers.ts';
import { makeMailCertificate } from '../../rig/mail/mail-certificate.ts';
import type { SmtpReceiver } from '../../rig/mail/smtp-receiver.ts';
import { startSmtpReceiver } from '../../rig/mail/smtp-receiver.ts';
import type { Browser } from '../../rig/people/dashboard-site.ts';
import { openBrowser } from '../../rig/people/dashboard-site.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import { enter, makePerson } from '../../rig/people/make-person.ts';
import type { Caddy } from '../../rig/processes/caddy.ts';
import { startCaddy } from '../../rig/processes/caddy.ts';
import type { ServerProcess } from '../../rig/processes/server-process.ts';
import { startApi, startDashboard, startWorker } from '../../rig/processes/server-process.ts';
import type { Closers } from '../../rig/site/site-processes.ts';
import { openClosing } from '../../rig/site/site-processes.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import type { Database } from '../../src/db/database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { addMember } from '../../src/people/add-member.ts';
import { initKeyRing } from '../../src/secrets/init-key-ring.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { visitorHeaders } from './site.ts';

/**
 * A whole installation in production mode for floods: API, worker and dashboard behind real Caddy, a mail server, the
 * merchant of an attacker, and another merchant beside it.
 */

export type FloodMember = { person: RigPerson; account: string; store: TestStore };

export type FloodSite = {
  database: Database;
  api: ServerProcess;
  /** The dashboard's server, as rigs of people expect it. */
  server: ServerProcess;
  dashboardUrl: string;
  caddy: Caddy;
  receiver: SmtpReceiver;
  attacker: FloodMember;
  neighbour: FloodMember;
};

const CREDIT_MICRO_USD = 100_000_000_000n;

/** Lets a browser send its requests as a proxy passes them on that serves HTTPS. */
function behindProxy(browser: Browser): Browser {
  const send = browser.send.bind(browser);
  browser.send = (method, path, body, headers) =>
    send(method, path, body, { 'x-forwarded-proto': 'https', ...headers });
  return browser;
}

/** A new browser behind the proxy, at an IP address of its own. */
export const browserAt = (site: Pick<FloodSite, 'server' | 'dashboardUrl'>, address?: string): Browser =>
  behindProxy(openBrowser(site, address));

/** A person in a merchant's team who is signed in and has just proven again who they are. */
export async function joinTeam(
  site: Pick<FloodSite, 'database' | 'server' | 'dashboardUrl'>,
  store: TestStore,
  role: Role,
): Promise<FloodMember> {
  const { database } = site;
  const person = await makePerson(site);
  behindProxy(person.browser);
  const { merchantAccountId } = store;
  const context = { database, clock: systemClock, jobs: undefined };
  await addMember(context, TESTER, { merchantAccountId, personCode: person.code, role });
  await enter(site, person);
  const { rows } = await database.pool.query<{ code: string }>('select code from merchants where id = $1', [
    merchantAccountId,
  ]);
  return { person, account: rows[0]?.code ?? '', store };
}

async function startMail(closers: Closers) {
  const certificate = await makeMailCertificate();
  closers.push(() => certificate.remove());
  const receiver = await startSmtpReceiver({ certificate });
  closers.push(() => receiver.stop());
  const settings = {
    COUNTERFOIL_MAIL_URL: receiver.url,
    COUNTERFOIL_MAIL_FROM: 'Counterfoil <no-reply@counterfoil.example>',
  };
  return { receiver, settings, trust: { NODE_EXTRA_CA_CERTS: certificate.path } };
}

async function build(url: string, database: Database, closers: Closers): Promise<FloodSite> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-floods-'));
  closers.push(() => rm(folder, { recursive: true }));
  const path = join(folder, 'ring.json');
  await initKeyRing({ database, clock: systemClock, keyRingFile: path }, ALICE);
  const ring = await openKeyRing(path);
  const openOne = () => openStore(database, { ring, creditMicroUsd: CREDIT_MICRO_USD });
  const [attacked, beside] = [await openOne(), await openOne()];
  const mail = await startMail(closers);
  const [apiPort, dashboardPort] = [await freePort(), await freePort()];
  const caddy = await startCaddy({ api: `${LOOPBACK}:${apiPort}`, dashboard: `${LOOPBACK}:${dashboardPort}` });
  closers.push(() => caddy.stop());
  const settings = {
    COUNTERFOIL_ENVIRONMENT: 'production',
    COUNTERFOIL_TRUSTED_PROXIES: `${LOOPBACK}/32`,
    COUNTERFOIL_LOG_LEVEL: 'warn',
    COUNTERFOIL_CHECKOUT_URL: caddy.checkoutUrl,
    COUNTERFOIL_DASHBOARD_URL: caddy.dashboardUrl,
    COUNTERFOIL_REGISTRATION: 'open',
    COUNTERFOIL_KEY_RING_FILE: path,
    ...mail.settings,
  };
  const api = await startApi(url, { ...settings, COUNTERFOIL_PORT: String(apiPort) });
  closers.push(() => api.stop());
  const server = await startDashboard(url, { ...settings, COUNTERFOIL_DASHBOARD_PORT: String(dashboardPort) });
  closers.push(() => server.stop());
  const worker = await startWorker(url, { ...NO_PRICES, ...settings, ...mail.trust });
  closers.push(() => worker.stop());
  await caddy.untilReached();
  const site = { database, api, server, dashboardUrl: caddy.dashboardUrl, caddy, receiver: mail.receiver };
  return {
    ...site,
    attacker: await joinTeam(site, attacked, 'owner'),
    neighbour: await joinTeam(site, beside, 'owner'),
  };
}

export async function withFloodSite(use: (site: FloodSite) => Promise<void>): Promise<void> {
  await withDrillDatabase(async ({ url, database }) => {
    const { close, ...site } = await openClosing((closers) => build(url, database, closers));
    try {
      await use(site);
    } finally {
      await close();
    }
  });
}

/** Sends a request of a signed-in person; returns its status. */
export async function sendAs({ person }: FloodMember, method: string, path: string, body?: unknown): Promise<number> {
  return (await person.browser.send(method, path, body)).status;
}

/** Headers of a request that the dashboard's own page would send, without the address of its sender. */
export const pageHeaders = ({ dashboardUrl }: FloodSite, cookie = ''): Record<string, string> => ({
  ...visitorHeaders('192.0.2.1'),
  'sec-fetch-site': 'same-origin',
  origin: dashboardUrl,
  'user-agent': 'rig',
  'content-type': 'application/json',
  ...(cookie !== '' && { cookie }),
});

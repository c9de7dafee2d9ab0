import { json } from 'node:stream/consumers';
import pg from 'pg';
import { closeServer, LOOPBACK } from '../../rig/fakes/listen.ts';
import type { Faults } from '../../rig/report/faults.ts';
import { describeFaults, gatherFaults } from '../../rig/report/faults.ts';
import type { ConnectedRole } from '../../rig/report/image-judgement.ts';
import { findPurchaseFaults, findRoleFaults, findStandingFaults } from '../../rig/report/image-judgement.ts';
import type { Closers } from '../../rig/site/site-processes.ts';
import { closeAll } from '../../rig/site/site-processes.ts';
import type { BuiltImage } from './build-image.ts';
import { lookAround, readStanding, tryWrongRoles } from './confinement.ts';
import type { Container } from './container.ts';
import { openContainers } from './container.ts';
import type { Installation, ServerName } from './installation.ts';
import { prepareInstallation, SERVERS } from './installation.ts';
import { startWayIn } from './own-network.ts';
import type { Clients } from './purchase.ts';
import { buy, createInvoice, openClients, openStore } from './purchase.ts';
import { stopAll } from './stop-servers.ts';
import { startSurroundings } from './surroundings.ts';

/** The drill's program in its own network: runs the installation, and prints the figures as one line of JSON. */

export type InsideInput = { image: BuiltImage; databaseUrl: string; socketFile: string; folder: string };

export type InsideFigures = Awaited<ReturnType<typeof drill>> & { faults: readonly string[] };

const HTTP_OK = 200;
const HTTP_FORBIDDEN = 403;

type Servers = Record<ServerName, Container>;

async function startServers(installation: Installation): Promise<Servers> {
  const [api, worker, dashboard] = await Promise.all(SERVERS.map((server) => installation.start(server)));
  if (!api || !worker || !dashboard) throw new Error('A server is missing.');
  return { api, worker, dashboard };
}

/** Database roles of the servers' connections, by the names that the servers give their connections. */
async function readRoles(database: pg.Pool, faults: Faults): Promise<Record<string, string>> {
  const { rows } = await database.query<ConnectedRole>(
    `select distinct replace(application_name, 'counterfoil-', '') as name, usename as role from pg_stat_activity
     where datname = current_database() and application_name ~ '^counterfoil-(api|worker|dashboard|views)$' order by 1`,
  );
  for (const fault of findRoleFaults(rows)) faults.add(fault);
  return Object.fromEntries(rows.map(({ name, role }) => [name, role]));
}

async function judgeStanding(servers: Servers, faults: Faults) {
  const all = await Promise.all(Object.values(servers).map(readStanding));
  for (const fault of all.flatMap(findStandingFaults)) faults.add(fault);
  const [first] = all;
  return { uid: first?.uid, gid: first?.gid, read_only_root: all.every(({ rootIsReadOnly }) => rootIsReadOnly) };
}

/** Asks the dashboard for its page, and the API without HTTPS. */
async function judgeDoors({ dashboard }: Clients, faults: Faults): Promise<void> {
  const page = await dashboard.ask('/');
  if (page.status !== HTTP_OK || !page.body.includes('<script')) faults.add(`the dashboard answers ${page.status}`);
  const plain = await fetch(`http://${LOOPBACK}:3000/invoice/TID-UNKNOWN`);
  if (plain.status !== HTTP_FORBIDDEN) faults.add(`the API answers ${plain.status} without HTTPS`);
}

async function drill(input: InsideInput, closers: Closers, faults: Faults) {
  const { image, folder } = input;
  const { url: databaseUrl, server: way } = await startWayIn(input.socketFile, input.databaseUrl);
  closers.push(() => closeServer(way));
  const database = new pg.Pool({ connectionString: databaseUrl });
  closers.push(() => database.end());
  const containers = openContainers(image, folder);
  closers.push(() => containers.stop());
  const [around, look] = await Promise.all([startSurroundings(folder, closers), lookAround(containers)]);
  for (const path of look.writable) faults.add(`${path} can be written`);
  for (const path of look.needless) faults.add(`${path} is in the image`);
  const installation = await prepareInstallation({ image, containers, around, folder, databaseUrl, database });
  await installation.migrate();
  await installation.admin('keyring', 'init');
  const [servers, store, refused] = await Promise.all([
    startServers(installation),
    openStore(installation),
    tryWrongRoles(installation, containers, faults),
  ]);
  around.shop.secret = store.webhook_secret;
  const standing = await judgeStanding(servers, faults);
  await around.caddy.untilReached();
  const clients = await openClients(around.caddy);
  closers.push(() => Object.values(clients).forEach((client) => client.close()));
  await judgeDoors(clients, faults);
  const transId = await createInvoice(clients, store, around.shop.callbackUrl);
  const status = await buy(clients, around, store, transId);
  const protocols = [...new Set(Object.values(clients).map(({ protocol }) => protocol))];
  const unpaid = findPurchaseFaults(status, protocols);
  for (const fault of unpaid) faults.add(fault);
  const wrong = await installation.examine();
  for (const finding of wrong) faults.add(`the doctor says ${finding}`);
  const roles = await readRoles(database, faults);
  const stopped = await stopAll({ servers, clients, around, store, database, faults });
  return {
    ...standing,
    writable_files: look.writable.length,
    roles,
    wrong_roles_refused: refused,
    entry_points: installation.used().length,
    protocols,
    paid_over_https: unpaid.length === 0,
    doctor_wrong: wrong.length,
    ...stopped,
  };
}

const faults = gatherFaults();
const closers: Closers = [];
try {
  const figures = await drill((await json(process.stdin)) as InsideInput, closers, faults);
  console.log(JSON.stringify({ ...figures, faults: faults.all() }));
} catch (cause) {
  for (const line of describeFaults(faults)) console.error(line);
  throw cause;
} finally {
  await closeAll(closers);
}

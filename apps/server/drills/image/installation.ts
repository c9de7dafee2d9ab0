import { chmod, chown, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { OWNER, PROCESS_ROLES, roleName } from '../../src/db/role.ts';
import type { ProcessRole } from '../../src/db/role.ts';
import { roleUrl } from '../../rig/database/role-database.ts';
import { LOOPBACK } from '../../rig/fakes/listen.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { BuiltImage } from './build-image.ts';
import type { Container, Containers, Mount, Run } from './container.ts';
import type { Surroundings } from './surroundings.ts';

/** An installation for production, made of containers of the image alone: its secrets are files, its settings real. */

export const SERVERS = ['api', 'worker', 'dashboard'] as const;
export type ServerName = (typeof SERVERS)[number];
export type EntryPoint = ServerName | 'migrate' | 'admin';

const OPERATIONS_PORTS: Record<ServerName, number> = { api: 3001, worker: 3002, dashboard: 3004 };
const READY_TIMEOUT_MS = 30_000;
const POLL_MS = 50;
const SECRETS = '/run/secrets';
const KEY_RING = '/run/key-ring';
const STATE = '/var/lib/counterfoil';
const AUTHORITY = '/run/authorities.pem';
const OWNER_ONLY = 0o700;
const FILE_OF_OWNER = 0o400;

export type Installation = {
  /** What a container of an entry point is run with; `role` is the database role, its own unless given. */
  runOf(entry: EntryPoint, words?: readonly string[], role?: ProcessRole): Run;
  migrate(): Promise<string>;
  /** Runs a command of the operator's command line and returns its answer. */
  admin(...words: string[]): Promise<Record<string, string>>;
  start(server: ServerName): Promise<Container>;
  /** Runs the doctor with the command line's settings. Returns what it finds wrong. */
  examine(): Promise<string[]>;
  /** Entry points that have done their work. */
  used(): EntryPoint[];
};

export type InstallationOptions = {
  image: BuiltImage;
  containers: Containers;
  around: Surroundings;
  folder: string;
  /** The database's URL as its administrator, and a pool with which to ask it. */
  databaseUrl: string;
  database: pg.Pool;
};

/** Writes the address of the database in each role, as files that only the image's user can read. */
async function writeSecrets(folder: string, databaseUrl: string, owner: readonly [number, number]): Promise<void> {
  const [secrets, keyRing] = [join(folder, 'secrets'), join(folder, 'key-ring')];
  for (const one of [secrets, keyRing]) {
    await mkdir(one, { mode: OWNER_ONLY });
    await chown(one, ...owner);
  }
  const urls = [['migrate', databaseUrl], ...PROCESS_ROLES.map((role) => [role, roleUrl(databaseUrl, role)])];
  for (const [name = '', url = ''] of urls) {
    const path = join(secrets, name);
    await writeFile(path, url);
    await chmod(path, FILE_OF_OWNER);
    await chown(path, ...owner);
  }
}

function settingsOf(entry: EntryPoint, around: Surroundings, role: ProcessRole | 'migrate') {
  const { caddy, nodes, prices } = around;
  const common = {
    COUNTERFOIL_DATABASE_URL_FILE: `${SECRETS}/${role}`,
    NODE_EXTRA_CA_CERTS: AUTHORITY,
  };
  const keyRing = { COUNTERFOIL_KEY_RING_FILE: `${KEY_RING}/key-ring.json` };
  const pages = { COUNTERFOIL_CHECKOUT_URL: caddy.checkoutUrl, COUNTERFOIL_DASHBOARD_URL: caddy.dashboardUrl };
  // Requests in progress must be finished after the drain, not during it.
  const serving = { COUNTERFOIL_TRUSTED_PROXIES: LOOPBACK, COUNTERFOIL_DRAIN_SECONDS: '0' };
  switch (entry) {
    case 'migrate':
      return common;
    case 'api':
      return { ...common, ...nodes, ...serving, COUNTERFOIL_CHECKOUT_URL: caddy.checkoutUrl };
    case 'worker':
      return { ...common, ...keyRing, ...nodes, ...prices };
    case 'dashboard':
      return { ...common, ...keyRing, ...pages, ...serving, COUNTERFOIL_VIEWS_DATABASE_URL_FILE: `${SECRETS}/views` };
    case 'admin':
      // The doctor also examines what workers ask.
      return { ...common, ...keyRing, ...nodes, ...pages, ...prices };
  }
}

function mountsOf(entry: EntryPoint, around: Surroundings, folder: string): Mount[] {
  const common = [
    { from: join(folder, 'secrets'), to: SECRETS },
    { from: around.resolverFile, to: '/etc/resolv.conf' },
    { from: around.authorityFile, to: AUTHORITY },
  ];
  const holdsRing = entry === 'worker' || entry === 'dashboard' || entry === 'admin';
  // The command line makes the key ring; whoever else has it only reads it.
  const ring = { from: join(folder, 'key-ring'), to: KEY_RING, writable: entry === 'admin' };
  const state = { from: join(folder, 'state'), to: STATE, writable: true };
  return [...common, ...(holdsRing ? [ring] : []), ...(entry === 'worker' ? [state] : [])];
}

async function isReady(server: ServerName): Promise<boolean> {
  const response = await fetch(`http://${LOOPBACK}:${OPERATIONS_PORTS[server]}/readyz`).catch(() => undefined);
  return response?.ok === true;
}

export async function prepareInstallation(options: InstallationOptions): Promise<Installation> {
  const { image, containers, around, folder, databaseUrl, database } = options;
  const [uid = 0, gid = 0] = image.config.User.split(':').map(Number);
  await writeSecrets(folder, databaseUrl, [uid, gid]);
  await mkdir(join(folder, 'state'));
  await chown(join(folder, 'state'), uid, gid);
  const runOf: Installation['runOf'] = (entry, words = [], role) => ({
    name: entry,
    arguments: [entry, ...words],
    settings: settingsOf(entry, around, role ?? entry),
    mounts: mountsOf(entry, around, folder),
  });
  const used = new Set<EntryPoint>();
  const finish = async (entry: EntryPoint, words: readonly string[]) => {
    const { code, output } = await containers.finish(runOf(entry, words));
    if (code !== 0) throw new Error(`${entry} ${words.join(' ')} ended with exit code ${code}:\n${output}`);
    used.add(entry);
    return output;
  };
  return {
    runOf,
    migrate: async () => {
      const output = await finish('migrate', ['--roles']);
      // Passwords are the operator's; this server asks for none.
      for (const role of [OWNER, ...PROCESS_ROLES.map(roleName)]) await database.query(`alter role ${role} login`);
      return output;
    },
    admin: async (...words) => JSON.parse(await finish('admin', [...words, '--json'])) as Record<string, string>,
    examine: async () => {
      const { output } = await containers.finish(runOf('admin', ['doctor', '--json']));
      const findings = JSON.parse(output) as { state: string }[];
      return findings.filter(({ state }) => state === 'wrong').map((finding) => JSON.stringify(finding));
    },
    used: () => [...used],
    start: async (server) => {
      const container = await containers.start(runOf(server));
      const ended = { code: undefined as number | null | undefined };
      void container.ended().then((code) => (ended.code = code));
      await waitUntil(() => ended.code !== undefined || isReady(server), {
        what: `${server} is not ready:\n${container.output()}`,
        timeoutMs: READY_TIMEOUT_MS,
        pollMs: POLL_MS,
      });
      if (ended.code !== undefined) throw new Error(`${server} ended with code ${ended.code}:\n${container.output()}`);
      used.add(server);
      return container;
    },
  };
}

import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PasswordCluster } from '../../rig/database/password-cluster.ts';
import { startPasswordCluster } from '../../rig/database/password-cluster.ts';
import { createDatabase } from '../../rig/database/temporary-database.ts';
import type { Installation } from '../../rig/deploy/installation.ts';
import { makeInstallation, mountService } from '../../rig/deploy/installation.ts';
import type { ProcessUser, WorkerProcess } from '../../rig/processes/server-process.ts';
import { PATIENT, startProcess } from '../../rig/processes/server-process.ts';
import { runProgram } from '../../rig/processes/run-program.ts';
import type { Program } from '../../rig/processes/server-bundle.ts';
import { programPath } from '../../rig/processes/server-bundle.ts';

/**
 * What bin/install writes and compose hands on, with real processes and a database that asks for passwords: only the
 * containers are missing. Secrets have the owners and modes that containers see.
 */

const PERMISSIONS = 0o777;
const run = promisify(execFile);
const WITHIN = { interval: 100 };
const PRODUCTION = { COUNTERFOIL_ENVIRONMENT: 'production' };

let installation: Installation;
let cluster: PasswordCluster;
/** The user of the containers, where the tests may become it and it can enter the project's folder. */
let user: ProcessUser | undefined;
/** Another user cannot use the cache of compiled code that is inherited. */
let cache: { NODE_COMPILE_CACHE: string };
const started: WorkerProcess[] = [];

beforeAll(async () => {
  installation = await makeInstallation();
  await chmod(installation.folder, 0o755);
  // The folder itself is not what containers see: they see what is mounted.
  await chmod(join(installation.folder, 'secrets'), 0o755);
  // With the settings of a new server: the doctor complains about one that loses commits.
  const password = await readFile(join(installation.folder, 'secrets/database_password'), 'utf8');
  cluster = await startPasswordCluster(password, {});
  await createDatabase(cluster.adminUrl, 'counterfoil');
  cache = { NODE_COMPILE_CACHE: join(installation.folder, 'compiled') };
  await mkdir(cache.NODE_COMPILE_CACHE);
  await chmod(cache.NODE_COMPILE_CACHE, 0o777);
  const [uid = 0, gid = 0] = (installation.compose.services['api']?.user ?? '').split(':').map(Number);
  const probe = spawnSync(process.execPath, [await programPath('cli'), '--help'], {
    env: { ...process.env, ...cache },
    uid,
    gid,
  });
  user = probe.status === 0 ? { uid, gid } : undefined;
});
afterAll(async () => {
  await Promise.all(started.map((one) => one.stop()));
  await cluster.stop();
  await installation.remove();
});

/** In the network of the containers the database is called `database`. */
const mount = (name: string) =>
  mountService(installation, name, (text) => text.replace('@database:5432', `@${cluster.host}:${cluster.port}`));

async function runOnce(
  name: string,
  program: Program,
  words: readonly string[],
): Promise<{ stdout: string; code: number }> {
  const { environment } = await mount(name);
  const { code, out, error } = await runProgram(program, words, { ...cache, ...environment }, { user });
  if (code !== 0 && out === '') throw new Error(error);
  return { stdout: out, code };
}

async function queryCluster(sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: cluster.adminUrl });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

async function migrate(): Promise<string> {
  const { here } = await mount('migrate');
  const [program, ...words] = installation.compose.services['migrate']?.command ?? [];
  expect(program).toBe('migrate');
  return (await runOnce('migrate', 'main-migrate', words.map(here))).stdout;
}

async function start(name: 'api' | 'worker' | 'dashboard'): Promise<WorkerProcess & { url?: string }> {
  const { environment } = await mount(name);
  const ports = ['PORT', 'OPERATIONS_PORT', 'WORKER_OPERATIONS_PORT', 'DASHBOARD_PORT', 'DASHBOARD_OPERATIONS_PORT'];
  const freePorts = Object.fromEntries(ports.map((port) => [`COUNTERFOIL_${port}`, '0']));
  const settings = {
    ...PRODUCTION,
    ...cache,
    ...environment,
    ...PATIENT,
    COUNTERFOIL_DRAIN_SECONDS: '0',
    ...freePorts,
  };
  const server = await startProcess(`main-${name}` as const, settings, { user });
  started.push(server);
  return server;
}

const notes = async (server: WorkerProcess) =>
  ((await (await fetch(`${server.operationsUrl}/readyz`)).json()) as { notes?: string[] }).notes ?? [];

const admin = async (line: string) =>
  (
    await runOnce(
      'admin',
      'cli',
      [...(line.match(/"[^"]*"|\S+/g) ?? []), '--json'].map((word) => word.replaceAll('"', '')),
    )
  ).stdout;

describe('an installation', () => {
  test('is told by a plan which roles it lacks and who cannot log in, and is not changed by it', async () => {
    const { here } = await mount('migrate');
    const words = installation.compose.services['migrate']?.command?.slice(1).map(here) ?? [];
    const { stdout } = await runOnce('migrate', 'main-migrate', [...words, '--plan']);
    const roles = ['api', 'worker', 'admin', 'dashboard', 'views'].map((role) => `counterfoil_${role}`);
    expect(stdout.match(/(?<=create the role )\w+/g)).toEqual(['counterfoil_owner', ...roles]);
    expect(stdout.match(/(?<=let )\w+(?= log in)/g)?.toSorted()).toEqual(roles.toSorted());
    const { rows } = await queryCluster("select from pg_roles where rolname like 'counterfoil%'");
    expect(rows).toEqual([]);
  });

  test('is migrated, its roles log in, and a second migration changes neither', async () => {
    const first = await migrate();
    for (const role of ['api', 'worker', 'dashboard', 'views', 'admin']) expect(first).toContain(`counterfoil_${role}`);
    const second = await migrate();
    expect(second).not.toContain('can log in now');
    expect(second).toContain('"applied":0');
  });

  test.each(['api', 'worker', 'dashboard'] as const)('starts %s, whose health check finds it ready', async (name) => {
    const server = await start(name);
    const [, ...words] = installation.compose.services[name]?.healthcheck?.test ?? [];
    expect(words.slice(0, 2)).toEqual(['node', '-e']);
    const asked = (words[2] ?? '').replace(/http:\/\/127\.0\.0\.1:\d+/, server.operationsUrl);
    expect(asked).toContain(`${server.operationsUrl}/readyz`);
    await run(process.execPath, ['-e', asked]);
    const nowhere = (words[2] ?? '').replace(/127\.0\.0\.1:\d+/, '127.0.0.1:1');
    await expect(run(process.execPath, ['-e', nowhere])).rejects.toMatchObject({ code: 1 });
  });

  test('gets its key ring by the command that bin/install names, and the processes take it up by themselves', async () => {
    const [, worker, dashboard] = started as [WorkerProcess, WorkerProcess, WorkerProcess];
    for (const server of [worker, dashboard]) expect(await notes(server)).not.toEqual([]);
    expect(installation.printed).toContain('docker compose run --rm admin keyring init ');
    await admin('keyring init');
    const { mode, uid } = await stat(join(installation.folder, 'secrets/key-ring/key-ring.json'));
    expect([mode & PERMISSIONS, uid]).toEqual([0o600, user?.uid ?? process.getuid?.()]);
    for (const server of [worker, dashboard]) await expect.poll(() => notes(server), WITHIN).toEqual([]);
  });

  test('takes the other commands that bin/install names, as they are printed', async () => {
    const lines = [...installation.printed.matchAll(/run --rm admin (\w+ \w+ --.*)$/gm)].map((match) => match[1] ?? '');
    expect(lines.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'person create',
      'plan create',
      'merchant create',
      'member add',
      'store create',
    ]);
    const found: Record<string, string> = {};
    for (const line of lines) {
      const filled = line.replace('NUMBER', found['merchant'] ?? '').replace('PER-...', found['person'] ?? '');
      Object.assign(found, JSON.parse(await admin(filled)) as Record<string, string>);
    }
    expect(found['set_password']).toMatch(/^https:\/\/dashboard\.shop\.test\/reset#/);
    expect(found['api_key']).toMatch(/^cf_live_/);
  });

  test('passes the doctor in everything that the host itself decides', async () => {
    const findings = JSON.parse(await admin('doctor')) as { check: string; state: string; says: string }[];
    const outside = /^(node of|checkout address|dashboard address|mail|prices|disk|readers)/;
    const unwell = findings.filter(({ state, check }) => state === 'wrong' && !outside.test(check));
    expect(unwell).toEqual([]);
    for (const check of ['settings', 'key ring'])
      expect(findings).toContainEqual(expect.objectContaining({ check, state: 'fine' }));
  });

  test('lets no process in with the secrets of another', async () => {
    const { environment } = await mount('api');
    const foreign = (await mount('worker')).environment;
    await expect(
      startProcess(
        'main-api',
        {
          ...PRODUCTION,
          ...cache,
          ...environment,
          COUNTERFOIL_DATABASE_URL_FILE: String(foreign['COUNTERFOIL_DATABASE_URL_FILE']),
          COUNTERFOIL_PORT: '0',
          COUNTERFOIL_OPERATIONS_PORT: '0',
        },
        { user },
      ),
    ).rejects.toThrow('is not counterfoil_api');
  });
});

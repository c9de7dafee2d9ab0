import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PasswordCluster } from '../../rig/database/password-cluster.ts';
import { startPasswordCluster } from '../../rig/database/password-cluster.ts';
import { roleUrl } from '../../rig/database/role-database.ts';
import type { Template } from '../../rig/database/template-database.ts';
import { createTemplate } from '../../rig/database/template-database.ts';
import type { HealthyInstance } from '../../rig/site/healthy-instance.ts';
import { startHealthyInstance } from '../../rig/site/healthy-instance.ts';
import { closeDatabase, openDatabase } from '../../src/db/database.ts';
import { judgeDisk } from '../../src/doctor/examine-disk.ts';
import { doubtful, wrong } from '../../src/doctor/finding.ts';
import { raiseFindings } from '../../src/doctor/raise-findings.ts';
import type { DoctorContext } from '../../src/doctor/run-doctor.ts';
import { runDoctor } from '../../src/doctor/run-doctor.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { operate } from '../../src/operate.ts';
import { faultsInside, takeEth } from './faults-inside.ts';
import { faultsOfServer, furtherFaultsOfServer, SOUND_SERVER } from './faults-of-server.ts';
import { faultsOutside } from './faults-outside.ts';
import type { Ends, PlantedFault } from './planted-fault.ts';

/** The doctor against a healthy installation, and against one with a fault of each kind. */

/** A server of its own, whose settings are changed: the one that test files share does not wait for its disk. */
let cluster: PasswordCluster;
let template: Template;
let healthy: HealthyInstance;
const ends: Ends = [];
beforeAll(async () => {
  cluster = await startPasswordCluster('doctor', SOUND_SERVER);
  template = await createTemplate(cluster.adminUrl);
  healthy = await startHealthyInstance(template);
});
afterAll(async () => {
  for (const end of ends) await end();
  await healthy.close();
  await cluster.stop();
});

async function complaints(changes: Partial<DoctorContext> = {}): Promise<string[]> {
  const findings = await runDoctor({ ...healthy.context, ...changes });
  return findings.filter(({ state }) => state !== 'fine').map(({ check, says }) => `${check}: ${says}`);
}

const query = (text: string) => healthy.own.database.pool.query(text);
const withVariables = (variables: Record<string, string>) => ({
  variables: { ...healthy.context.variables, ...variables },
});

test('a healthy installation gives no alarm', async () => {
  expect(await complaints()).toEqual([]);
});

test('one database for lists and for everything else gives no alarm', async () => {
  const views = { COUNTERFOIL_VIEWS_DATABASE_URL: roleUrl(healthy.own.url, 'views') };
  const findings = await runDoctor({ ...healthy.context, ...withVariables(views) });
  expect(findings.filter(({ check }) => check === 'views')).toMatchObject([{ state: 'fine' }]);
});

test('every complaint says how to mend it', async () => {
  const findings = await runDoctor({ ...healthy.context, database: undefined, chains: [], mailServer: undefined });
  expect(findings.filter(({ state, mend }) => state !== 'fine' && !mend)).toEqual([]);
});

/** Faults that the doctor named before, when research planted them in a running installation. */
const NAMED_BEFORE = new Set([
  'a clock that is wrong',
  'a schema that is behind',
  "another process's role",
  'a superuser',
  'a missing partition',
  'more connections than the server has',
  'a plan that does not exist',
  'a worker that does not read any more',
  'a missing key ring',
  'a key ring that others can read',
  'a node that is down',
  'a checkout that does not answer',
  'a mail server that refuses our password',
]);
const wasNamed = ([title]: [string, PlantedFault]) => NAMED_BEFORE.has(title);

/** The 22 faults of that research, then all others. */
const healthyOne = () => healthy;

function listFaults(): [string, PlantedFault][] {
  const known = Object.entries({
    ...faultsInside(healthyOne, ends, () => template),
    ...faultsOutside(healthyOne, ends),
  });
  return [
    ...Object.entries(faultsOfServer(healthyOne, ends)),
    ...known.filter(wasNamed),
    ...known.filter((one) => !wasNamed(one)),
    ...Object.entries(furtherFaultsOfServer(healthyOne)),
  ];
}

const FAULTS = listFaults();
const LEAST_PLANTED = 35;
const WITHIN = { timeout: 60_000, interval: 100 };

describe('the doctor names', () => {
  let named = 0;

  test.each(FAULTS)('%s', async (_title, { change, found, undo }) => {
    try {
      const changes = await change();
      // After a reload a server applies settings to its sessions one after the other.
      const look = async () => {
        const said = await complaints(changes);
        return said.some((line) => found.test(line)) ? 'found' : said;
      };
      await expect.poll(look, WITHIN).toBe('found');
      named += 1;
    } finally {
      await undo?.();
    }
  });

  test('every fault that was planted, and is content when all are gone', async () => {
    process.stdout.write(`${JSON.stringify({ planted: FAULTS.length, named })}\n`);
    expect(FAULTS.length).toBeGreaterThanOrEqual(LEAST_PLANTED);
    expect(named).toBe(FAULTS.length);
    await expect.poll(() => complaints(), WITHIN).toEqual([]);
  });
});

test('a network that only a store takes which is switched off need not be read', async () => {
  await takeEth(healthy);
  try {
    await query('update stores set active = false');
    expect(await complaints()).toEqual([]);
    await query('update stores set active = true');
    await query('update merchants set active = false');
    expect(await complaints()).toEqual([]);
  } finally {
    await query('update stores set active = true');
    await query('update merchants set active = true');
    await query("update wallets set removed_at = now() where network = 'ETH'");
  }
});

const examine = async (settings: Record<string, string | undefined>, ...words: string[]) => {
  const { code, out } = await operate(['doctor', '--json', ...words], settings);
  const findings = JSON.parse(out) as { check: string; state: string; says: string }[];
  return { code, findings, states: new Set(findings.map(({ state }) => state)) };
};

const alarms = async () =>
  (await query("select subject, details from alarms where kind = 'doctor-found' order by id")).rows as unknown[];

describe('the command', () => {
  test('ends with 0 when something is doubtful and nothing wrong, and reads nodes from a file', async () => {
    const file = join(healthy.folder, 'nodes');
    await writeFile(file, healthy.settings['COUNTERFOIL_RPC_BSC'] ?? '');
    const nodes = { COUNTERFOIL_RPC_BSC: undefined, COUNTERFOIL_RPC_BSC_FILE: file };
    const { code, findings, states } = await examine({ ...healthy.settings, ...nodes });
    expect(findings.filter(({ state }) => state === 'wrong')).toEqual([]);
    // No mail server is named.
    expect(states).toContain('doubtful');
    expect(findings.filter(({ check, state }) => check === 'node of BSC' && state === 'fine')).toHaveLength(2);
    expect(code).toBe(0);
  });

  test('ends with 1 when something is wrong', async () => {
    const { code, states } = await examine({ ...healthy.settings, COUNTERFOIL_STORE_PLAN: 'gold' });
    expect(states).toContain('wrong');
    expect(code).toBe(1);
  });

  test('compares the budget of all replicas with what the database gives', async () => {
    const { findings } = await examine({ ...healthy.settings, COUNTERFOIL_DATABASE_BUDGET: '120' });
    expect(findings.find(({ check }) => check === 'connections')).toMatchObject({
      state: 'wrong',
      says: expect.stringContaining('may need 125') as string,
    });
  });

  test('raises an alarm for each check that is wrong, once however often it runs, and only when it is asked to', async () => {
    const settings = { ...healthy.settings, COUNTERFOIL_STORE_PLAN: 'gold' };
    await examine(settings);
    expect(await alarms()).toEqual([]);
    await examine(settings, '--alarm', 'yes');
    await examine(settings, '--alarm', 'yes');
    const finding = { says: expect.stringContaining('gold') as string, mend: expect.stringContaining('plan create') };
    expect(await alarms()).toEqual([{ subject: 'store plan', details: { findings: [finding] } }]);
    expect((await examine(healthy.settings, '--alarm', 'yes')).code).toBe(0);
    expect(await alarms()).toHaveLength(1);
  });

  test('says that no alarm could be raised where nothing can be written', async () => {
    const database = openDatabase(
      { url: 'postgresql://nobody@127.0.0.1:1/none', connections: 1, name: 'counterfoil-test' },
      () => {},
    );
    const context = { database, clock: systemClock };
    expect(await raiseFindings(context, [wrong('disk', 'full', 'free space')])).toMatchObject([
      { check: 'alarm', state: 'wrong' },
    ]);
    expect(await raiseFindings(context, [doubtful('disk', 'nearly full', 'free space')])).toEqual([]);
    await closeDatabase(database);
  });
});

test.each([
  [4, 'wrong'],
  [14, 'doubtful'],
  [16, 'fine'],
])('a disk with %i of 100 free is %s', (freeBytes, state) => {
  expect(judgeDisk('/', { bytes: 100, freeBytes }).state).toBe(state);
});

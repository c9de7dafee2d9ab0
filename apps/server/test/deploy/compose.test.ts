import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Installation, Service } from '../../rig/deploy/installation.ts';
import { ANSWERS, makeInstallation, mountService, REPOSITORY } from '../../rig/deploy/installation.ts';
import { findUnknownSettings } from '../../src/config/find-unknown-settings.ts';
import { namesIn } from '../../src/config/parse-settings.ts';
import { DOCTOR_SETTINGS } from '../../src/config/process-settings.ts';
import type { ProcessName } from '../../src/config/server-process.ts';
import { faultsOf, namesOf } from '../../src/config/server-process.ts';
import { FILE_END } from '../../src/config/setting.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { tagOf, VERSION } from '../../src/lib/version.ts';
import { CHAIN_NETWORKS } from '../../src/networks/chain-networks.ts';

const textOf = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');

let installation: Installation;
beforeAll(async () => {
  installation = await makeInstallation();
});
afterAll(() => installation.remove());

function serviceOf(name: string): Service {
  const service = installation.compose.services[name];
  if (!service) throw new Error(`There is no service ${name}.`);
  return service;
}
const services = () => Object.entries(installation.compose.services);
const secretsOf = (name: string) => (serviceOf(name).secrets ?? []).map(({ source }) => source).toSorted();
const seconds = (text: string | undefined) =>
  Number(/^(?:(\d+)m)?(?:(\d+)s)?$/.exec(text ?? '')?.[1] ?? 0) * 60 + Number(/(\d+)s$/.exec(text ?? '')?.[1] ?? 0);

const RATES = 'rate_openexchangerates_url';
const NODES = CHAIN_NETWORKS.map(({ id }) => `rpc_${id.toLowerCase()}`);
/** A line of .env.example that sets a variable, or shows how. */
const VARIABLE = /^(?:# )?([A-Z_0-9]+)=/;
const PROCESSES = ['api', 'worker', 'dashboard'] as const;

describe('compose', () => {
  test('publishes no port but the two of Caddy', () => {
    const published = services().filter(([, service]) => (service.ports ?? []).length > 0);
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
      [
        'caddy',
        [
          { published: 80, target: 80 },
          { published: 443, target: 443 },
        ],
      ],
    ]);
  });

  test.each([
    ['database', ['database_password']],
    ['api', ['api_database_url', ...NODES, ...NODES.map((name) => `inspect_${name}`)]],
    ['api-2', ['api_database_url', ...NODES, ...NODES.map((name) => `inspect_${name}`)]],
    ['worker', ['worker_database_url', 'mail_url', 'alarm_url', 'alarm_secret', 'heartbeat_url', RATES, ...NODES]],
    ['dashboard', ['dashboard_database_url', 'views_database_url', 'mail_url']],
    ['admin', ['admin_database_url', 'mail_url', RATES, ...NODES]],
    ['migrate', ['migrate', 'api', 'worker', 'dashboard', 'views', 'admin'].map((role) => `${role}_database_url`)],
    ['caddy', []],
  ])('gives %s the secrets that it reads and no others', (name, secrets) => {
    expect(secretsOf(name)).toEqual(secrets.toSorted());
  });

  test('gives the key ring to those who read it, and lets the command line alone change it', () => {
    const mounts = services().flatMap(([name, { volumes = [] }]) =>
      volumes
        .filter((volume) => volume.includes('/run/key-ring'))
        .map((volume) => `${name} ${volume.split(':').at(-1)}`),
    );
    expect(mounts.toSorted()).toEqual(['admin rw', 'dashboard ro', 'worker ro']);
  });

  test('shows services nothing of the host but the key ring, and Caddy its file', () => {
    const shown = services().flatMap(([name, { volumes = [] }]) =>
      volumes
        .filter((volume) => volume.startsWith('/'))
        .map((volume) => `${name} ${relative(installation.folder, volume.split(':')[0] ?? '')}`),
    );
    expect(shown.toSorted()).toEqual([
      'admin secrets/key-ring',
      'caddy certificates',
      'caddy deploy/Caddyfile',
      'dashboard secrets/key-ring',
      'worker secrets/key-ring',
    ]);
  });

  test('confines every service: nothing to write to, no capability, no new right, bounded memory and logs', () => {
    for (const [name, service] of services()) {
      expect([name, service]).toEqual([
        name,
        expect.objectContaining({
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
          mem_limit: expect.stringMatching(/^\d+[mg]$/),
          logging: { driver: 'json-file', options: { 'max-size': '20m', 'max-file': '5' } },
          tmpfs: expect.arrayContaining([expect.stringMatching(/^\/tmp:.*size=/)]),
        }),
      ]);
    }
  });

  test('runs nothing as root, and nothing with a capability but Caddy, which binds the low ports', () => {
    const asRoot = services().filter(([, { user = '0:0' }]) => user.split(':').includes('0'));
    expect(asRoot).toEqual([]);
    const capable = services().flatMap(([name, { cap_add: added }]) => (added ? [[name, added]] : []));
    expect(capable).toEqual([['caddy', ['NET_BIND_SERVICE']]]);
    expect(serviceOf('caddy')).toMatchObject({
      sysctls: { 'net.ipv4.ip_unprivileged_port_start': '80' },
      tmpfs: [expect.stringMatching(/^\/config:mode=0700,uid=10002,gid=10002,/), expect.any(String) as string],
    });
  });

  test('starts what ends again, and gives it longer to stop than the 20 s that it may need', () => {
    for (const name of ['database', ...PROCESSES, 'caddy']) {
      const { restart, stop_grace_period: grace } = serviceOf(name);
      expect([name, restart]).toEqual([name, 'unless-stopped']);
      expect(seconds(grace)).toBeGreaterThan(20);
    }
    for (const name of ['migrate', 'admin']) expect(serviceOf(name).restart).toBe('no');
  });

  test('starts processes when the schema is there, and the migration when the database answers', () => {
    expect(serviceOf('migrate').depends_on).toEqual({ database: { condition: 'service_healthy' } });
    for (const name of PROCESSES)
      expect(serviceOf(name).depends_on).toMatchObject({ migrate: { condition: 'service_completed_successfully' } });
    expect(serviceOf('caddy').depends_on).toEqual({
      api: { condition: 'service_healthy' },
      dashboard: { condition: 'service_healthy' },
    });
  });

  test.each([
    ['api', SETTINGS.COUNTERFOIL_OPERATIONS_PORT],
    ['worker', SETTINGS.COUNTERFOIL_WORKER_OPERATIONS_PORT],
    ['dashboard', SETTINGS.COUNTERFOIL_DASHBOARD_OPERATIONS_PORT],
  ])('asks %s for its readiness on its operations port', (name, setting) => {
    expect(serviceOf(name).healthcheck?.test.join(' ')).toContain(`127.0.0.1:${setting.parse(undefined)}/readyz`);
  });

  test('has two equal APIs, and Caddy sends requests to both', () => {
    expect(serviceOf('api-2')).toEqual(serviceOf('api'));
    const port = SETTINGS.COUNTERFOIL_PORT.parse(undefined);
    expect(serviceOf('caddy').environment).toMatchObject({
      COUNTERFOIL_API_UPSTREAM: `api:${port} api-2:${port}`,
    });
  });

  test('lets nobody reach the database from outside, and the dashboard nobody outside', () => {
    const { networks } = installation.compose;
    const inside = (name: string) =>
      Object.keys(serviceOf(name).networks).every((network) => networks[network]?.internal === true);
    expect(services().map(([name]) => [name, inside(name)])).toEqual(
      services().map(([name]) => [name, ['database', 'migrate', 'dashboard'].includes(name)]),
    );
    expect(Object.keys(serviceOf('database').networks)).toEqual(['data']);
    expect(Object.keys(serviceOf('caddy').networks)).not.toContain('data');
  });

  test.each(['172.30.64', '10.9.8'])('lets the servers believe the address of Caddy alone, in %s', async (prefix) => {
    const { compose, remove } = await makeInstallation({ ...ANSWERS, COUNTERFOIL_EDGE_PREFIX: prefix });
    await remove();
    const { services: named, networks } = compose;
    expect(named['caddy']?.networks['edge']).toEqual({ ipv4_address: `${prefix}.250` });
    // No other container gets that address.
    expect(networks['edge']?.ipam?.config).toEqual([{ subnet: `${prefix}.0/24`, ip_range: `${prefix}.0/25` }]);
    for (const name of ['api', 'dashboard'])
      expect(named[name]?.environment['COUNTERFOIL_TRUSTED_PROXIES']).toBe(`${prefix}.250`);
  });

  test('lets nobody but Caddy and the servers into the network between them, in a range of its own', () => {
    const [pool] = installation.compose.networks['edge']?.ipam?.config ?? [];
    expect(pool?.['subnet']).toBe('172.30.64.0/24');
    const members = services().filter(([, { networks }]) => 'edge' in networks);
    expect(members.map(([name]) => name).toSorted()).toEqual(['api', 'api-2', 'caddy', 'dashboard']);
  });

  test('has a file from bin/install for every secret', () => {
    for (const { file } of Object.values(installation.compose.secrets)) expect(readFileSync(file)).toBeDefined();
  });

  test('names the version in the tag of its image, so that the next one does not write over it', () => {
    for (const name of [...PROCESSES, 'migrate', 'admin'])
      expect(serviceOf(name)).toMatchObject({
        image: `counterfoil:${tagOf(VERSION)}`,
        build: { args: { VERSION: VERSION.version, REVISION: VERSION.commit } },
      });
  });

  test('runs the containers as the users whom bin/install gives the secrets', () => {
    const text = textOf('bin/install');
    expect(text).toContain(`\nserver_user=${serviceOf('api').user}\n`);
    expect(text).toContain(`\ndatabase_user=${serviceOf('database').user}\n`);
    expect(text).toContain(`\ncaddy_user=${serviceOf('caddy').user}\n`);
  });

  test('knows every network that can be followed', () => {
    const listed = /^networks=\(([^)]*)\)$/m.exec(textOf('bin/install'))?.[1]?.split(' ');
    expect(listed).toEqual(CHAIN_NETWORKS.map(({ id }) => id));
  });
});

/** Settings that compose does not pass on, with the reason. */
const KEPT: Record<string, string> = {
  COUNTERFOIL_ENVIRONMENT: 'an installation is always in production',
  COUNTERFOIL_PORT: 'the Caddyfile and the health checks name the ports',
  COUNTERFOIL_OPERATIONS_PORT: 'likewise',
  COUNTERFOIL_DASHBOARD_PORT: 'likewise',
  COUNTERFOIL_DASHBOARD_OPERATIONS_PORT: 'likewise',
  COUNTERFOIL_WORKER_OPERATIONS_PORT: 'likewise',
  COUNTERFOIL_VIEWS_DATABASE_URL: 'only the dashboard has the password of that role; the doctor goes on without it',
};
const isForDevelopment = (variable: string) =>
  variable.startsWith('COUNTERFOIL_GENESIS_') ||
  ['ANY_DATABASE_ROLE', 'PRIVATE_CALLBACKS', 'CLOCK_PACE', 'FAILPOINT', 'WATCHDOG_SECONDS'].some(
    (name) => variable === `COUNTERFOIL_${name}`,
  );
const isKept = (variable: string) => Object.hasOwn(KEPT, variable) || isForDevelopment(variable);

describe('the settings that compose gives', () => {
  test.each([...PROCESSES, 'admin'] as const)('%s are right for production', async (name: ProcessName) => {
    const { environment } = await mountService(installation, name);
    expect(environment).not.toHaveProperty('COUNTERFOIL_ENVIRONMENT');
    expect(findUnknownSettings(environment)).toEqual([]);
    expect(faultsOf(name, environment)).toEqual([]);
  });

  test.each([...PROCESSES, 'admin'] as const)('%s are read by it, all of them', (name: ProcessName) => {
    const read = name === 'admin' ? namesIn(DOCTOR_SETTINGS) : namesOf(name);
    const isRead = (variable: string) => read.includes(variable) || read.includes(variable.replace(FILE_END, ''));
    expect(Object.keys(serviceOf(name).environment).filter((variable) => !isRead(variable))).toEqual([]);
  });

  test.each([...PROCESSES, 'admin'] as const)('%s are all that it accepts in production', (name: ProcessName) => {
    const read = name === 'admin' ? namesIn(DOCTOR_SETTINGS) : namesOf(name);
    const given = new Set(Object.keys(serviceOf(name).environment).map((variable) => variable.replace(FILE_END, '')));
    const missing = read.map((variable) => variable.replace(FILE_END, '')).filter((variable) => !given.has(variable));
    expect([...new Set(missing)].filter((variable) => !isKept(variable))).toEqual([]);
  });

  test('Caddy are read by its file, all of them', () => {
    const text = textOf('deploy/Caddyfile');
    for (const variable of Object.keys(serviceOf('caddy').environment)) expect(text).toContain(`{$${variable}:`);
  });

  test('everybody are explained in .env.example, which explains nothing else', () => {
    const compose = textOf('compose.yaml');
    const used = [
      ...[...compose.matchAll(/\$\{([A-Z_0-9]+)/g)].map((match) => match[1] ?? ''),
      ...[...compose.matchAll(/^ {6}(COUNTERFOIL_[A-Z_0-9]+):$/gm)].map((match) => match[1] ?? ''),
      // Compose itself reads it.
      'COMPOSE_PROJECT_NAME',
    ];
    const lines = textOf('.env.example').split('\n');
    const explained = lines.flatMap((line) => VARIABLE.exec(line)?.[1] ?? []);
    expect(explained.toSorted()).toEqual([...new Set(used)].toSorted());
    // An explanation is above each variable, or above the group that it is in.
    const unexplained = lines.filter((line, place) => VARIABLE.test(line) && !/^# |=/.test(lines[place - 1] ?? ''));
    expect(unexplained).toEqual([]);
  });
});

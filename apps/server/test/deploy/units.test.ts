import { execFileSync } from 'node:child_process';
import {
  accessSync,
  constants,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findUnknownSettings } from '../../src/config/find-unknown-settings.ts';
import { SETTINGS } from '../../src/config/settings.ts';

/** The units of systemd, against what they start and what the guide makes for them. */

const REPOSITORY = join(import.meta.dirname, '../../../..');
const INSTALLED = '/srv/counterfoil/';
const PROCESSES = ['api', 'worker', 'dashboard'];
const textOf = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');

const files = globSync('deploy/systemd/**/*.{service,timer,conf}', { cwd: REPOSITORY }).toSorted();
const lines = files.flatMap((path) => textOf(path).split('\n'));
/** The values of a directive in all units. */
const valuesOf = (name: string) =>
  lines.flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));
const ofEach = (value: string) => PROCESSES.map((process) => value.replaceAll('%i', process));

/** The part of the guide that installs without containers. */
const section = /^## On a Debian host[\s\S]*?(?=^## )/m.exec(textOf('docs/operations/install.md'))?.[0] ?? '';
/** The words of a loop of the guide, such as `for role in owner api; do ...`. */
const loopOver = (name: string) => [...section.matchAll(new RegExp(`^for ${name} in ([^;]+);`, 'gm'))];

describe('units of systemd', () => {
  test('are one for processes, one part for the dashboard, one for Caddy, and the doctor with its timer', () => {
    expect(files).toEqual([
      'deploy/systemd/caddy.service.d/counterfoil.conf',
      'deploy/systemd/counterfoil-doctor.service',
      'deploy/systemd/counterfoil-doctor.timer',
      'deploy/systemd/counterfoil@.service',
      'deploy/systemd/counterfoil@dashboard.service.d/views.conf',
    ]);
  });

  test('name files of this repository that there are, and start such as can be run', () => {
    const named = [...lines, ...textOf('deploy/counterfoil-admin').split('\n'), ...section.split('\n')]
      .filter((line) => !line.startsWith('#'))
      .flatMap((line) => line.split(/[\s=/]*(?=\/srv)|\s/))
      .filter((word) => word.startsWith(INSTALLED));
    expect(named.length).toBeGreaterThanOrEqual(5);
    for (const path of named) accessSync(join(REPOSITORY, path.slice(INSTALLED.length)), constants.R_OK);
    const started = valuesOf('ExecStart').flatMap((line) => line.split(' ').slice(0, 2));
    const own = started.filter((word) => word.startsWith(INSTALLED));
    expect(own).toHaveLength(4);
    for (const path of own) accessSync(join(REPOSITORY, path.slice(INSTALLED.length)), constants.X_OK);
  });

  test('start processes that the entry point knows', () => {
    expect(valuesOf('ExecStart').some((line) => line.endsWith(' %i'))).toBe(true);
    expect(textOf('deploy/counterfoil')).toContain(`\n  ${PROCESSES.join(' | ')}) exec`);
  });

  test('set settings that processes or Caddy read', () => {
    // A value in quotes may hold spaces.
    const set = valuesOf('Environment').flatMap((value) => /^"?(\w+)=/.exec(value)?.[1] ?? []);
    const caddy = textOf('deploy/Caddyfile');
    const own = set.filter((name) => !caddy.includes(`{$${name}:`));
    expect([...new Set(own)].toSorted()).toEqual([
      'COUNTERFOIL_DATABASE_URL_FILE',
      'COUNTERFOIL_STATE_DIR',
      'COUNTERFOIL_VIEWS_DATABASE_URL_FILE',
    ]);
    const [folder] = valuesOf('StateDirectory');
    expect(valuesOf('Environment')).toContain(`COUNTERFOIL_STATE_DIR=/var/lib/${folder}`);
    expect(findUnknownSettings(Object.fromEntries(own.map((name) => [name, 'x'])))).toEqual([]);
  });

  test('read files that the guide has an operator make', () => {
    const roles = loopOver('role').map(([, words = '']) => words.split(' '));
    expect(roles).toHaveLength(2);
    const made = new Set([
      ...(roles[0] ?? []).map((role) => `/etc/counterfoil/${role}`),
      '/etc/counterfoil/settings',
      '/etc/counterfoil/caddy',
    ]);
    for (const file of ['settings', 'caddy']) expect(section).toContain(`in \`/etc/counterfoil/${file}\``);
    const read = [
      ...valuesOf('EnvironmentFile'),
      ...valuesOf('LoadCredential').flatMap((value) => ofEach(value.split(':')[1] ?? '')),
      ...(textOf('deploy/counterfoil-admin').match(/\/etc\/counterfoil\/[a-z]+/g) ?? []),
    ];
    expect(read.length).toBeGreaterThanOrEqual(6);
    expect(read.filter((path) => !made.has(path))).toEqual([]);
  });

  test('hand over each secret under the name that its setting reads', () => {
    const handed = valuesOf('LoadCredential').map((value) => `%d/${value.split(':')[0]}`);
    const taken = valuesOf('Environment').flatMap((value) => value.match(/%d\/\w+/g) ?? []);
    expect(taken.toSorted()).toEqual(handed.toSorted());
  });

  test('run as users whom the guide makes, and give a process longer to stop than the 20 s that it may need', () => {
    expect(loopOver('process').map(([, words]) => words)).toEqual(['api worker dashboard', 'worker dashboard']);
    expect(section).toContain('adduser --system --group --no-create-home --quiet counterfoil-$process');
    expect([...valuesOf('User'), ...valuesOf('Group')]).toEqual(['counterfoil-%i', 'counterfoil-%i']);
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(20);
    for (const process of PROCESSES)
      expect(section).toMatch(new RegExp(`systemctl enable .*counterfoil@${process}\\b`));
  });

  test('give all settings of the host to every process and to the doctor', () => {
    for (const file of ['counterfoil@.service', 'counterfoil-doctor.service'])
      expect(textOf(`deploy/systemd/${file}`)).toContain('\nEnvironmentFile=/etc/counterfoil/settings\n');
  });

  test('start again for as long as starts fail', () => {
    expect([valuesOf('Restart'), valuesOf('StartLimitIntervalSec')]).toEqual([['always'], ['0']]);
  });

  test.each([
    ['api', ['COUNTERFOIL_PORT', 'COUNTERFOIL_OPERATIONS_PORT']],
    ['worker', ['COUNTERFOIL_WORKER_OPERATIONS_PORT']],
  ])('have a second %s by the guide, which meets the first at nothing', (process, settings) => {
    const made = new RegExp(`^(sed .*/${process}/.*counterfoil@\\.service) >(\\S+)$`, 'm').exec(section);
    const [, command = '', file = ''] = made ?? [];
    const unit = execFileSync('sh', ['-c', command], { cwd: REPOSITORY, encoding: 'utf8' });
    expect(section).toMatch(new RegExp(`systemctl enable --now .*${basename(file, '.service')}\\b`));
    expect(unit).not.toContain('%i');
    expect(unit).toContain(`\nUser=counterfoil-${process}\n`);
    expect(unit).toContain(`deploy/counterfoil ${process}\n`);
    const given = [...unit.matchAll(/(COUNTERFOIL_\w+_PORT|COUNTERFOIL_PORT)=(\d+)/g)];
    expect(given.map(([, name]) => name)).toEqual(settings);
    const ports = Object.entries(SETTINGS).flatMap(([name, read]) =>
      name.endsWith('_PORT') ? [JSON.stringify(read.parse(undefined))] : [],
    );
    for (const [, , port] of given) expect(ports).not.toContain(port);
  });

  test('are upgraded by a guide that changes nothing in the folder that processes run from, before one step replaces it', () => {
    const upgrade = /^### Upgrade a Debian host[\s\S]*?```sh\n([\s\S]*?)^```/m.exec(section)?.[1] ?? '';
    const steps = upgrade.split('\n').map((line) => line.replace(/\s{2,}#.*$/, ''));
    const place = steps.findIndex((line) => line.startsWith('ln -s '));
    expect(place).toBeGreaterThan(0);
    for (const line of steps.slice(0, place)) expect(line).not.toMatch(/git pull|\/srv\/counterfoil(?!-releases)/);
    for (const line of steps.slice(0, 2)) expect(line).not.toMatch(/\bbin\//);
    expect(steps[2]).toMatch(/^cd "\$release" /);
    const folder = mkdtempSync(join(tmpdir(), 'counterfoil-upgrade-'));
    for (const name of ['old', 'new']) mkdirSync(join(folder, 'srv', name), { recursive: true });
    symlinkSync(join(folder, 'srv/old'), join(folder, 'srv/counterfoil'));
    const command = (steps[place] ?? '').replaceAll('/srv/', `${folder}/srv/`);
    execFileSync('sh', ['-ec', command], { env: { ...process.env, release: join(folder, 'srv/new') } });
    expect(realpathSync(join(folder, 'srv/counterfoil'))).toBe(realpathSync(join(folder, 'srv/new')));
    expect(readdirSync(join(folder, 'srv/old'))).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  test('have Caddy send requests to both APIs', () => {
    const [, second] = /COUNTERFOIL_PORT=(\d+)/.exec(section) ?? [];
    const first = SETTINGS.COUNTERFOIL_PORT.parse(undefined);
    expect(valuesOf('Environment')).toContain(`"COUNTERFOIL_API_UPSTREAM=127.0.0.1:${first} 127.0.0.1:${second}"`);
  });

  const CONFINED = {
    NoNewPrivileges: ['yes'],
    ProtectSystem: ['strict'],
    ProtectHome: ['yes'],
    ProtectProc: ['invisible'],
    PrivateTmp: ['yes'],
    PrivateDevices: ['yes'],
    PrivateIPC: ['yes'],
    ProtectClock: ['yes'],
    ProtectHostname: ['yes'],
    ProtectKernelTunables: ['yes'],
    ProtectKernelModules: ['yes'],
    ProtectKernelLogs: ['yes'],
    ProtectControlGroups: ['yes'],
    RestrictNamespaces: ['yes'],
    RestrictRealtime: ['yes'],
    RestrictSUIDSGID: ['yes'],
    LockPersonality: ['yes'],
    KeyringMode: ['private'],
    UMask: ['0077'],
    SystemCallArchitectures: ['native'],
    SystemCallFilter: ['@system-service', '~@privileged @resources'],
    SystemCallErrorNumber: ['EPERM'],
  };

  test('have the doctor examine the installation every hour by the guide, with the rights of the command line', () => {
    const [unit, timer] = ['service', 'timer'].map((kind) => textOf(`deploy/systemd/counterfoil-doctor.${kind}`));
    expect(unit).toMatch(/^ExecStart=\S+ \S+\/counterfoil admin doctor --alarm yes$/m);
    expect(unit).toMatch(/^LoadCredential=database:\/etc\/counterfoil\/admin$/m);
    expect(unit).toContain('\nType=oneshot\n');
    expect(unit).not.toMatch(/^Restart=/m);
    expect(timer).toMatch(/^OnCalendar=hourly$/m);
    expect(section).toMatch(/^systemctl enable --now counterfoil-doctor\.timer\b/m);
  });

  test.each([
    [
      'counterfoil-doctor.service',
      {
        CapabilityBoundingSet: [''],
        AmbientCapabilities: [''],
        RemoveIPC: ['yes'],
        DynamicUser: ['yes'],
        SupplementaryGroups: ['counterfoil-ring'],
        RestrictAddressFamilies: ['AF_INET AF_INET6 AF_UNIX'],
        ReadWritePaths: [],
        MemoryDenyWriteExecute: [],
      },
    ],
    [
      'counterfoil@.service',
      {
        CapabilityBoundingSet: [''],
        AmbientCapabilities: [''],
        RemoveIPC: ['yes'],
        RestrictAddressFamilies: ['AF_INET AF_INET6 AF_UNIX'],
        ReadWritePaths: [],
        MemoryDenyWriteExecute: [],
      },
    ],
    [
      'caddy.service.d/counterfoil.conf',
      {
        CapabilityBoundingSet: ['CAP_NET_BIND_SERVICE'],
        AmbientCapabilities: ['', 'CAP_NET_BIND_SERVICE'],
        RestrictAddressFamilies: ['AF_INET AF_INET6 AF_UNIX AF_NETLINK'],
        ReadWritePaths: ['/var/lib/caddy'],
        MemoryDenyWriteExecute: ['yes'],
      },
    ],
  ])('confine what %s starts: files, processes, namespaces and system calls', (file, own: Record<string, string[]>) => {
    const set = textOf(`deploy/systemd/${file}`)
      .split('\n')
      .map((line) => /^(\w+)=(.*)$/.exec(line));
    const valuesIn = (name: string) => set.flatMap((match) => (match?.[1] === name ? [match[2] ?? ''] : []));
    const expected: Record<string, string[]> = { ...CONFINED, ...own };
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, valuesIn(name)]))).toEqual(expected);
  });
});

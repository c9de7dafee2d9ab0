import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { findUnknownSettings } from '../src/config/find-unknown-settings.ts';
import type { ProcessName } from '../src/config/server-process.ts';
import { faultsOf } from '../src/config/server-process.ts';
import { SETTINGS } from '../src/config/settings.ts';
import { generateManifests, MANIFESTS } from './generate-manifests.ts';
import type { Manifest } from './manifests/validate-manifest.ts';
import { validateManifest } from './manifests/validate-manifest.ts';

type Workload = { name: string; pod: IPodSpec; container: IContainer };

const everything = Object.values(MANIFESTS).flat();

function podIn(manifest: Manifest): IPodSpec | undefined {
  if (manifest.kind === 'CronJob') return manifest.spec?.jobTemplate.spec?.template.spec;
  return manifest.kind === 'Deployment' || manifest.kind === 'StatefulSet' || manifest.kind === 'Job'
    ? manifest.spec?.template.spec
    : undefined;
}

/** Every pod of the manifests, of any kind of owner. */
const workloads = everything.flatMap((manifest): Workload[] => {
  const pod = podIn(manifest);
  const [container] = pod?.containers ?? [];
  return pod && container ? [{ name: container.name, pod, container }] : [];
});

function workloadOf(name: string): Workload {
  const found = workloads.find((one) => one.name === name);
  if (!found) throw new Error(`There is no pod ${name}.`);
  return found;
}

const planted = (change: (pod: Record<string, unknown>, container: Record<string, unknown>) => void) => {
  const worker = structuredClone(MANIFESTS['worker.yaml']?.[0]) as unknown as {
    spec: { template: { spec: Record<string, unknown> & { containers: Record<string, unknown>[] } } };
  };
  const pod = worker.spec.template.spec;
  change(pod, pod.containers[0] ?? {});
  return worker as unknown as Manifest;
};

describe('a manifest is refused', () => {
  test.each<[string, Parameters<typeof planted>[0], string]>([
    [
      'with a misspelt field of a pod',
      (pod) => Object.assign(pod, { terminationGracePeriodSecond: 30 }),
      'StatefulSet.spec.template.spec.terminationGracePeriodSecond is not known',
    ],
    [
      'with a misspelt field in a list',
      (_, container) => Object.assign(container, { readinesProbe: {} }),
      'containers[0].readinesProbe is not known',
    ],
    [
      'with a misspelt field of something deep',
      (_, container) => Object.assign(container, { securityContext: { readOnlyRootFileSystem: true } }),
      'containers[0].securityContext.readOnlyRootFileSystem is not known',
    ],
    ['with a value of another type', (pod) => Object.assign(pod, { hostNetwork: 'no' }), 'hostNetwork must be boolean'],
    [
      'without a field that is needed',
      (_, container) => Object.assign(container, { env: [{ value: 'x' }] }),
      'must have required property name',
    ],
  ])('%s', (_, change, fault) => {
    expect(() => validateManifest(planted(change))).toThrow(fault);
  });

  test('of a version that its kind does not have', () => {
    expect(() => validateManifest({ ...planted(() => {}), apiVersion: 'apps/v1beta1' })).toThrow('is of apps/v1');
  });

  test('by nothing else: what is unchanged passes', () => {
    expect(() => validateManifest(planted(() => {}))).not.toThrow();
  });
});

describe('every pod', () => {
  test.each(workloads)(
    '$name runs confined, as nobody, without a token and without links of services',
    ({ pod, container }) => {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 10_001,
          fsGroup: 10_001,
          seccompProfile: { type: 'RuntimeDefault' },
        },
      });
      expect(container).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: {
          limits: { memory: expect.any(String) as string },
          requests: { cpu: expect.any(String) as string },
        },
      });
    },
  );

  test.each(workloads)(
    '$name has a Secret of its own, the doctor that of the command line, whose files its group alone can read',
    ({ name, pod }) => {
      const secrets = (pod.volumes ?? []).flatMap(({ secret }) => (secret ? [secret] : []));
      const rings = ['worker', 'dashboard', 'admin', 'doctor'].includes(name) ? ['counterfoil-key-ring'] : [];
      const own = name === 'doctor' ? 'admin' : name;
      expect(secrets.map(({ secretName }) => secretName)).toEqual([`counterfoil-${own}`, ...rings]);
      expect(secrets.map(({ defaultMode }) => defaultMode)).toEqual(secrets.map(() => 0o440));
    },
  );
});

type Kustomization = { configMapGenerator: { name: string; behavior?: string; literals: string[] }[] };

/** Settings that a kustomization gives to all processes. */
function sharedIn(text: string): Record<string, string> {
  const { configMapGenerator } = parse(text) as Kustomization;
  const [settings] = configMapGenerator;
  const pairs = (settings?.literals ?? []).map((literal) => /^([^=]+)=(.*)$/.exec(literal)?.slice(1));
  return Object.fromEntries(pairs as [string, string][]);
}

const base = () => sharedIn(generateManifests('1.2.3')['kustomization.yaml'] ?? '');

/** The example of an overlay for kustomize in docs/operations/install.md, as text. */
function overlay(): string {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/operations/install.md'), 'utf8');
  return /```yaml\n(resources: \[counterfoil\/deploy\/kubernetes\].*?)```/s.exec(guide)?.[1] ?? '';
}

/** What PostgreSQL gives to ordinary roles by default. */
const DEFAULT_CONNECTIONS = 97;
/** Of the doctor, commands and the migration. */
const LEAST_SPARE = 5;

function connectionsOf(name: string): number {
  const own = (workloadOf(name).container.env ?? []).map((variable) => [variable.name, variable.value ?? '']);
  const set = Object.fromEntries(own) as Record<string, string>;
  const pools = 'COUNTERFOIL_VIEWS_DATABASE_URL_FILE' in set ? 2 : 1;
  return pools * SETTINGS.COUNTERFOIL_DATABASE_CONNECTIONS.parse(set['COUNTERFOIL_DATABASE_CONNECTIONS']);
}

test('pods at full scale, with one more of each kind during an update, fit into what PostgreSQL gives by default', () => {
  const most = everything.flatMap((manifest) => {
    if (manifest.kind !== 'Deployment' && manifest.kind !== 'StatefulSet') return [];
    const { name } = workloadOf(manifest.spec?.template.spec?.containers[0]?.name ?? '');
    const scaler = everything.find((one) => one.kind === 'HorizontalPodAutoscaler');
    const pods =
      manifest.spec?.replicas ?? (scaler?.kind === 'HorizontalPodAutoscaler' ? scaler.spec?.maxReplicas : 0) ?? 0;
    // A set replaces its pods one by one, but the budget is that of all kinds alike.
    const surge = manifest.kind === 'StatefulSet' ? 1 : Number(manifest.spec?.strategy?.rollingUpdate?.maxSurge ?? 0);
    return pods === 0 ? [] : [{ name, pods: pods + surge }];
  });
  const all = most.reduce((sum, { name, pods }) => sum + pods * connectionsOf(name), 0);
  expect(most.map(({ name }) => name)).toEqual(['api', 'worker', 'dashboard']);
  expect(base()).toMatchObject({ COUNTERFOIL_DATABASE_BUDGET: String(all) });
  expect(all + LEAST_SPARE).toBeLessThanOrEqual(DEFAULT_CONNECTIONS);
});

test('the doctor examines every hour, once, and its job fails when something is wrong', () => {
  const doctor = everything.find(({ kind }) => kind === 'CronJob');
  expect(doctor).toMatchObject({
    spec: {
      concurrencyPolicy: 'Forbid',
      jobTemplate: { spec: { backoffLimit: 0, template: { spec: { restartPolicy: 'Never' } } } },
    },
  });
  expect(workloadOf('doctor').container.args).toEqual(['admin', ...'doctor --alarm yes'.split(' ')]);
});

test('no network is named for everybody: an overlay is merged, and could not take one away', () => {
  expect(Object.keys(base()).filter((name) => name.includes('_RPC_'))).toEqual([]);
});

describe('a process', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'counterfoil-manifests-'));
    for (const name of ['database_url', 'views_database_url'])
      writeFileSync(join(folder, name), 'postgresql://role:password@db/counterfoil');
    writeFileSync(join(folder, 'rpc_eth'), 'https://one.test,https://two.test');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(['api', 'worker', 'dashboard', 'admin'] as const)(
    '%s gets settings that are right for production, by the overlay of the guide',
    (name: ProcessName) => {
      expect((parse(overlay()) as Kustomization).configMapGenerator).toMatchObject([
        { name: 'counterfoil-settings', behavior: 'merge' },
      ]);
      const own = (workloadOf(name).container.env ?? []).map((variable) => [variable.name, variable.value ?? '']);
      const variables: Record<string, string> = { ...base(), ...sharedIn(overlay()), ...Object.fromEntries(own) };
      for (const [variable, value] of Object.entries(variables))
        variables[variable] = value.replace('/run/secrets', folder);
      expect(findUnknownSettings(variables)).toEqual([]);
      expect(faultsOf(name, variables)).toEqual([]);
    },
  );

  test.each(['api', 'worker', 'dashboard', 'admin', 'doctor'])(
    '%s gets every setting of the overlay but the few that its manifest sets itself',
    (name) => {
      const { container } = workloadOf(name);
      expect(container.envFrom).toEqual([{ configMapRef: { name: 'counterfoil-settings' } }]);
      const own = (container.env ?? []).map((variable) => variable.name.replace(/_FILE$/, ''));
      const fixed = [
        'DATABASE_URL',
        'VIEWS_DATABASE_URL',
        'KEY_RING_FILE',
        'KEY_RING',
        'STATE_DIR',
        'DATABASE_CONNECTIONS',
        'HOST',
      ];
      const allowed = new Set([...fixed, 'OPERATIONS_HOST'].map((setting) => `COUNTERFOIL_${setting}`));
      expect(own.filter((setting) => !allowed.has(setting))).toEqual([]);
    },
  );

  test.each(['api', 'dashboard'] as const)('%s does not start before an overlay names the trusted proxies', (name) => {
    const own = (workloadOf(name).container.env ?? []).map((variable) => [variable.name, variable.value ?? '']);
    const variables = Object.fromEntries(
      Object.entries({ ...base(), ...(Object.fromEntries(own) as Record<string, string>) }).map(([variable, value]) => [
        variable,
        value.replace('/run/secrets', folder),
      ]),
    );
    expect(faultsOf(name, variables).map((fault) => /^\w+/.exec(fault)?.[0])).toEqual(['COUNTERFOIL_TRUSTED_PROXIES']);
  });

  test.each([
    ['api', SETTINGS.COUNTERFOIL_OPERATIONS_PORT, SETTINGS.COUNTERFOIL_PORT],
    ['worker', SETTINGS.COUNTERFOIL_WORKER_OPERATIONS_PORT, undefined],
    ['dashboard', SETTINGS.COUNTERFOIL_DASHBOARD_OPERATIONS_PORT, SETTINGS.COUNTERFOIL_DASHBOARD_PORT],
  ])('%s is checked where it serves, and has longer to stop than it needs', (name, operations, http) => {
    const { pod, container } = workloadOf(name);
    expect(container.ports).toEqual([
      ...(http ? [{ name: 'http', containerPort: http.parse(undefined) }] : []),
      { name: 'operations', containerPort: operations.parse(undefined) },
    ]);
    for (const probe of [container.startupProbe, container.livenessProbe])
      expect(probe?.httpGet).toEqual({ path: '/livez', port: 'operations' });
    // A fault of the shared database must not remove every pod from the service.
    expect(container.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: http ? 'http' : 'operations' });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(5 + 15);
  });
});

describe('the network', () => {
  const policies = everything.flatMap((one) => (one.kind === 'NetworkPolicy' ? [one] : []));
  const rulesOf = (name: string) => policies.find(({ metadata }) => metadata?.name === `counterfoil-${name}`)?.spec;

  test('lets nobody in or out whom no policy names', () => {
    expect(rulesOf('deny')).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
  });

  test('lets the operations ports be reached from monitoring alone', () => {
    const open = policies.flatMap(({ spec }) =>
      (spec?.ingress ?? []).flatMap(({ from, ports }) =>
        (ports ?? []).map(
          ({ port }) => `${String(port)} ${from?.[0]?.namespaceSelector?.matchLabels?.['kubernetes.io/metadata.name']}`,
        ),
      ),
    );
    expect(open.toSorted()).toEqual([
      '3000 ingress',
      '3001 monitoring',
      '3002 monitoring',
      '3003 ingress',
      '3004 monitoring',
    ]);
  });

  test('lets workers reach the Internet on any port, and nothing inside; the dashboard reaches nothing outside', () => {
    const [rule] = rulesOf('worker-egress')?.egress ?? [];
    expect(rule?.ports).toEqual([{ protocol: 'TCP' }]);
    for (const range of ['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'])
      expect(rule?.to?.[0]?.ipBlock?.except).toContain(range);
    expect(policies.map(({ metadata }) => metadata?.name)).not.toContain('counterfoil-dashboard-egress');
  });
});

describe('the way to the database', () => {
  const manifest = everything.find(({ metadata }) => metadata?.name === 'counterfoil-database');

  test('leads to one namespace and port, and to no range of addresses', () => {
    expect(manifest).toMatchObject({
      kind: 'NetworkPolicy',
      spec: {
        egress: [
          {
            to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'database' } } }],
            ports: [{ protocol: 'TCP', port: 5432 }],
          },
        ],
      },
    });
    const ranges = JSON.stringify(everything.filter(({ kind }) => kind === 'NetworkPolicy')).match(/"cidr":"[^"]+"/g);
    expect([...new Set(ranges)]).toEqual(['"cidr":"0.0.0.0/0"', '"cidr":"::/0"']);
  });

  test('is replaced by the patch of the guide, which names what is there', () => {
    const { patches } = parse(overlay()) as { patches: { target: { kind: string; name: string }; patch: string }[] };
    expect(patches.map(({ target }) => target)).toEqual([{ kind: manifest?.kind, name: manifest?.metadata?.name }]);
    const changes = parse(patches[0]?.patch ?? '') as { op: string; path: string; value: unknown }[];
    for (const { op, path } of changes) {
      let place: unknown = manifest;
      for (const part of path.split('/').slice(1)) place = (place as Record<string, unknown> | undefined)?.[part];
      expect([op, place]).toEqual(['replace', expect.anything()]);
    }
    expect(changes.map(({ value }) => value)).toEqual([[{ ipBlock: { cidr: '10.20.40.7/32' } }]]);
  });
});

test('every file is YAML with the manifests that were checked', () => {
  const files = generateManifests('1.2.3');
  for (const [name, manifests] of Object.entries(MANIFESTS)) {
    const documents = parseAllDocuments(files[name] ?? '').map((document) => document.toJS() as unknown);
    expect(documents).toEqual(manifests);
  }
  expect(files['kustomization.yaml']).toContain('newTag: 1.2.3');
});

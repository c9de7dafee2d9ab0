import type { IContainer } from 'kubernetes-models/v1/Container';
import type { IPodSpec } from 'kubernetes-models/v1/PodSpec';
import type { IProbe } from 'kubernetes-models/v1/Probe';
import type { Manifest } from './validate-manifest.ts';

/** Manifests of the processes: deployments, services and budgets, the migration, and the command line. */

export const NAMESPACE = 'counterfoil';
/** Its tag, or another name, is set by kustomize. */
const IMAGE = 'counterfoil';
const USER = 10_001;
/** Group-readable for the process: files of a Secret belong to root. */
const SECRET_MODE = 0o440;
const SECRETS_FOLDER = '/run/secrets';
const RING_FOLDER = '/run/key-ring';
const STATE_FOLDER = '/var/lib/counterfoil';
/** More than the 5 s of a drain and the 15 s in which a process finishes work in progress. */
const GRACE_SECONDS = 30;

/** An update starts one more pod of each deployment before it stops one. */
const SURGE = 1;

/**
 * `most` is the largest number of pods, `connections` those of each of a pod's pools. Together with an update they fit
 * into the 97 that PostgreSQL gives by default, and leave some for commands.
 */
export const PROCESSES = [
  {
    name: 'api',
    port: 3000,
    operationsPort: 3001,
    ring: false,
    memory: ['384Mi', '768Mi'],
    cpu: '250m',
    most: 6,
    connections: 5,
    pools: 1,
  },
  {
    name: 'worker',
    port: undefined,
    operationsPort: 3002,
    ring: true,
    memory: ['384Mi', '768Mi'],
    cpu: '250m',
    most: 2,
    connections: 10,
    pools: 1,
  },
  {
    name: 'dashboard',
    port: 3003,
    operationsPort: 3004,
    ring: true,
    memory: ['256Mi', '512Mi'],
    cpu: '100m',
    most: 2,
    connections: 4,
    pools: 2,
  },
] as const;

/** Most connections of all processes together. */
export const CONNECTION_BUDGET = PROCESSES.reduce(
  (sum, { most, connections, pools }) => sum + (most + SURGE) * connections * pools,
  0,
);
type Process = (typeof PROCESSES)[number];

export const labelsOf = (process: string) => ({
  'app.kubernetes.io/name': 'counterfoil',
  'app.kubernetes.io/component': process,
});

export const metadataOf = (name: string, process?: string) => ({
  name: `counterfoil-${name}`,
  namespace: NAMESPACE,
  ...(process !== undefined && { labels: labelsOf(process) }),
});

/** Everything of a pod that does not depend on the process in it. */
export function podOf(
  process: string,
  ring: boolean,
  { volumeMounts = [], ...container }: Omit<IContainer, 'name'>,
  secretOf = process,
): IPodSpec {
  return {
    automountServiceAccountToken: false,
    // With links every service would set variables such as COUNTERFOIL_API_PORT, which look like settings.
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: process,
        image: IMAGE,
        imagePullPolicy: 'IfNotPresent',
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [
          { name: 'tmp', mountPath: '/tmp' },
          { name: 'secrets', mountPath: SECRETS_FOLDER, readOnly: true },
          ...(ring ? [{ name: 'key-ring', mountPath: RING_FOLDER, readOnly: true }] : []),
          ...volumeMounts,
        ],
        ...container,
      },
    ],
    volumes: [
      { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
      { name: 'secrets', secret: { secretName: `counterfoil-${secretOf}`, defaultMode: SECRET_MODE } },
      // The ring is made by the first command that runs, so that pods start without it.
      ...(ring
        ? [
            {
              name: 'key-ring',
              secret: { secretName: 'counterfoil-key-ring', defaultMode: SECRET_MODE, optional: true },
            },
          ]
        : []),
    ],
  };
}

export const variables = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

export const DATABASE = { COUNTERFOIL_DATABASE_URL_FILE: `${SECRETS_FOLDER}/database_url` };
export const RING = { COUNTERFOIL_KEY_RING_FILE: `${RING_FOLDER}/key-ring.json` };
export const SHARED = [{ configMapRef: { name: 'counterfoil-settings' } }];

const probe = (
  path: string,
  times: Pick<IProbe, 'periodSeconds' | 'failureThreshold'>,
  port = 'operations',
): IProbe => ({
  httpGet: { path, port },
  timeoutSeconds: 5,
  ...times,
});

function containerOf({ name, port, operationsPort, ring, connections, memory: [least, most], cpu }: Process) {
  return {
    args: [name],
    envFrom: SHARED,
    env: variables({
      ...DATABASE,
      ...(name === 'dashboard' && { COUNTERFOIL_VIEWS_DATABASE_URL_FILE: `${SECRETS_FOLDER}/views_database_url` }),
      ...(ring && RING),
      ...(name === 'worker' && { COUNTERFOIL_STATE_DIR: STATE_FOLDER }),
      COUNTERFOIL_DATABASE_CONNECTIONS: String(connections),
      COUNTERFOIL_HOST: '0.0.0.0',
      // The kubelet asks from outside; a network policy keeps everybody else away.
      COUNTERFOIL_OPERATIONS_HOST: '0.0.0.0',
    }),
    ports: [
      ...(port === undefined ? [] : [{ name: 'http', containerPort: port }]),
      { name: 'operations', containerPort: operationsPort },
    ],
    startupProbe: probe('/livez', { periodSeconds: 2, failureThreshold: 30 }),
    livenessProbe: probe('/livez', { periodSeconds: 10, failureThreshold: 3 }),
    // A fault of the shared database must not remove every pod from the service.
    readinessProbe: probe(
      '/readyz',
      { periodSeconds: 5, failureThreshold: 2 },
      port === undefined ? 'operations' : 'http',
    ),
    resources: { requests: { cpu, memory: least }, limits: { memory: most } },
    ...(name === 'worker' && { volumeMounts: [{ name: 'state', mountPath: STATE_FOLDER }] }),
  } satisfies Omit<IContainer, 'name'>;
}

const spread = (process: string, topologyKey: string) => ({
  maxSkew: 1,
  topologyKey,
  whenUnsatisfiable: 'ScheduleAnyway' as const,
  labelSelector: { matchLabels: labelsOf(process) },
});

function templateOf(process: Process) {
  const { name, operationsPort, ring } = process;
  return {
    metadata: {
      labels: labelsOf(name),
      annotations: {
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': String(operationsPort),
        'prometheus.io/path': '/metrics',
      },
    },
    spec: {
      ...podOf(name, ring, containerOf(process)),
      terminationGracePeriodSeconds: GRACE_SECONDS,
      topologySpreadConstraints: [spread(name, 'kubernetes.io/hostname'), spread(name, 'topology.kubernetes.io/zone')],
    },
  };
}

function deploymentOf(process: Process): Manifest {
  const { name, most } = process;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadataOf(name, name),
    spec: {
      // The autoscaler says how many of the API there are.
      ...(name !== 'api' && { replicas: most }),
      selector: { matchLabels: labelsOf(name) },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: SURGE } },
      template: templateOf(process),
    },
  };
}

/** Workers have a claim each for the mark that shows when the database was restored. */
function statefulSetOf(process: Process): Manifest {
  const { name, most } = process;
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: metadataOf(name, name),
    spec: {
      replicas: most,
      serviceName: `counterfoil-${name}`,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labelsOf(name) },
      template: templateOf(process),
      volumeClaimTemplates: [
        {
          metadata: { name: 'state' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } } },
        },
      ],
    },
  };
}

const budgetOf = (name: string): Manifest => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: metadataOf(name, name),
  spec: { maxUnavailable: 1, selector: { matchLabels: labelsOf(name) } },
});

const serviceOf = (name: string): Manifest => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadataOf(name, name),
  spec: { selector: labelsOf(name), ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
});

/** A process with all that belongs to it. */
export function manifestsOf(process: Process): Manifest[] {
  const { name, port } = process;
  const workload = name === 'worker' ? statefulSetOf(process) : deploymentOf(process);
  return [workload, ...(port === undefined ? [] : [serviceOf(name)]), budgetOf(name)];
}

/** CPU is what the API runs out of first; above the bound the database's connections would be next. */
export const autoscaler: Manifest = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: metadataOf('api', 'api'),
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'counterfoil-api' },
    minReplicas: 2,
    maxReplicas: PROCESSES[0].most,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } }],
    behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
  },
};

import type { INetworkPolicySpec } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicySpec';
import { labelsOf, metadataOf, NAMESPACE, PROCESSES } from './process-manifests.ts';
import type { Manifest } from './validate-manifest.ts';

/** Network rules: everything that is not listed here is denied. */

/** Namespaces of the cluster's own parts; names differ from cluster to cluster, and overlays change them. */
const INGRESS_NAMESPACE = 'ingress';
const MONITORING_NAMESPACE = 'monitoring';
/** Where the database is; an overlay names its address instead when it is outside of the cluster. */
const DATABASE_NAMESPACE = 'database';
const DATABASE_PORT = 5_432;
const MAIL_PORTS = [465, 587];
/** Ranges that are not on the Internet: a webhook to one would reach into the cluster. */
const INSIDE_IPV4 = ['10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16'];
const INSIDE_IPV6 = ['::1/128', 'fc00::/7', 'fe80::/10'];

const policy = (name: string, spec: INetworkPolicySpec): Manifest => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: metadataOf(name),
  spec,
});

const namespace = (name: string) => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });
const tcp = (port: number) => ({ protocol: 'TCP' as const, port });
const outside = [
  { ipBlock: { cidr: '0.0.0.0/0', except: INSIDE_IPV4 } },
  { ipBlock: { cidr: '::/0', except: INSIDE_IPV6 } },
];

const everybody = { matchLabels: { 'app.kubernetes.io/name': 'counterfoil' } };

export const policies: Manifest[] = [
  policy('deny', { podSelector: {}, policyTypes: ['Ingress', 'Egress'] }),
  policy('names', {
    podSelector: everybody,
    policyTypes: ['Egress'],
    egress: [{ to: [namespace('kube-system')], ports: [{ protocol: 'UDP', port: 53 }, tcp(53)] }],
  }),
  policy('database', {
    podSelector: everybody,
    policyTypes: ['Egress'],
    egress: [{ to: [namespace(DATABASE_NAMESPACE)], ports: [tcp(DATABASE_PORT)] }],
  }),
  ...PROCESSES.flatMap(({ name, port }) =>
    port === undefined
      ? []
      : [
          policy(`${name}-visitors`, {
            podSelector: { matchLabels: labelsOf(name) },
            policyTypes: ['Ingress'],
            ingress: [{ from: [namespace(INGRESS_NAMESPACE)], ports: [tcp(port)] }],
          }),
        ],
  ),
  ...PROCESSES.map(({ name, operationsPort }) =>
    policy(`${name}-operations`, {
      podSelector: { matchLabels: labelsOf(name) },
      policyTypes: ['Ingress'],
      ingress: [{ from: [namespace(MONITORING_NAMESPACE)], ports: [tcp(operationsPort)] }],
    }),
  ),
  // Merchants choose the ports of their webhooks.
  policy('worker-egress', {
    podSelector: { matchLabels: labelsOf('worker') },
    policyTypes: ['Egress'],
    egress: [{ to: outside, ports: [{ protocol: 'TCP' }] }],
  }),
  policy('api-egress', {
    podSelector: { matchLabels: labelsOf('api') },
    policyTypes: ['Egress'],
    egress: [{ to: outside, ports: [tcp(443)] }],
  }),
  ...['admin', 'doctor'].map((name) =>
    policy(`${name}-egress`, {
      podSelector: { matchLabels: labelsOf(name) },
      policyTypes: ['Egress'],
      egress: [{ to: outside, ports: [443, ...MAIL_PORTS].map(tcp) }],
    }),
  ),
];

const pathsTo = (process: 'api' | 'dashboard') => ({
  http: {
    paths: [
      {
        path: '/',
        pathType: 'Prefix' as const,
        backend: { service: { name: `counterfoil-${process}`, port: { name: 'http' } } },
      },
    ],
  },
});

export const HOSTS = { api: 'api.example.com', checkout: 'pay.example.com', dashboard: 'dashboard.example.com' };

/** Two, because controllers redirect plain HTTP by the object: pages are redirected, and calls of the API are not. */
export const ingresses: Manifest[] = [
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: metadataOf('api', 'api'),
    spec: {
      tls: [{ hosts: [HOSTS.api], secretName: 'counterfoil-api-tls' }],
      rules: [{ host: HOSTS.api, ...pathsTo('api') }],
    },
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: metadataOf('pages', 'api'),
    spec: {
      tls: [{ hosts: [HOSTS.checkout, HOSTS.dashboard], secretName: 'counterfoil-pages-tls' }],
      rules: [
        { host: HOSTS.checkout, ...pathsTo('api') },
        { host: HOSTS.dashboard, ...pathsTo('dashboard') },
      ],
    },
  },
];

export const namespaceManifest: Manifest = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
};

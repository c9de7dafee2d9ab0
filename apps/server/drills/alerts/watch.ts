import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAlertmanager } from '../../rig/monitoring/alertmanager.ts';
import type { Page, Pager } from '../../rig/monitoring/pager.ts';
import { firing, nameOf, startPager } from '../../rig/monitoring/pager.ts';
import type { Prometheus } from '../../rig/monitoring/prometheus.ts';
import { runPrometheus } from '../../rig/monitoring/prometheus.ts';
import { listRules, shortenAlertmanager, shortenPrometheus, shortenRules } from '../../rig/monitoring/shorten.ts';
import type { Closers } from '../../rig/site/site-processes.ts';
import type { Expected } from './fault.ts';

/** The shipped Prometheus and Alertmanager, with shorter waits, and the person whom they page. */

const FOLDER = join(import.meta.dirname, '../../../../deploy/monitoring');
/** How much shorter the waits of the shipped files are here: a scrape each second instead of every 15. */
export const FACTOR = 15;
/** Receivers of the shipped Alertmanager by the severity of a rule. */
const RECEIVERS: Readonly<Record<string, string>> = { critical: 'on-call', warning: 'email' };

export type Watch = {
  pages: readonly Page[];
  /** Whether the newest notification of the alert says that it fires. */
  fires(expected: Expected): boolean;
  /** Alerts that fire, by name. */
  firing(): Set<string>;
  /** Rules that fire or wait to, as Prometheus has them. */
  active(): Promise<{ name: string; state: string }[]>;
  /** Rules that Prometheus could not evaluate, or that do not go to the receiver of their severity. */
  wrong(): Promise<string[]>;
  rules: readonly string[];
};

export const isOf = (expected: Expected, { labels }: Page) =>
  labels['alertname'] === expected.alert &&
  Object.entries(expected.labels ?? {}).every(([name, value]) => labels[name] === value);

export const textOf = ({ alert, labels = {} }: Expected) => [alert, ...Object.values(labels)].join(' ');

function misrouted(pager: Pager, severities: ReadonlyMap<string, string>): string[] {
  const wrong = pager.pages.filter(
    ({ receiver, labels }) => receiver !== RECEIVERS[severities.get(labels['alertname'] ?? '') ?? ''],
  );
  return [...new Set(wrong.map(({ receiver, labels }) => `${nameOf(labels)} went to ${receiver}`))];
}

const read = (name: string) => readFile(join(FOLDER, name), 'utf8');

async function start(targets: Readonly<Record<string, string>>, closers: Closers) {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-rules-'));
  closers.push(() => rm(folder, { recursive: true }));
  const rules = join(folder, 'rules.yml');
  const shipped = await read('counterfoil.rules.yml');
  await writeFile(rules, shortenRules(shipped, FACTOR));
  const pager = await startPager();
  closers.push(() => pager.close());
  const alertmanager = await startAlertmanager(shortenAlertmanager(await read('alertmanager.yml'), pager.url, FACTOR));
  closers.push(() => alertmanager.stop());
  const places = { rules, alertmanager: alertmanager.address, targets };
  const configuration = shortenPrometheus(await read('prometheus.yml'), places, FACTOR);
  const prometheus = await runPrometheus(configuration, Object.keys(targets).length);
  closers.push(() => prometheus.stop());
  return { pager, prometheus, shipped };
}

const unhealthy = async (prometheus: Prometheus) =>
  (await prometheus.rules())
    .filter(({ health }) => health !== 'ok')
    .map(({ name, lastError }) => `${name}: ${lastError ?? 'not evaluated'}`);

export async function startWatch(targets: Readonly<Record<string, string>>, closers: Closers): Promise<Watch> {
  const { pager, prometheus, shipped } = await start(targets, closers);
  const rules = listRules(shipped);
  const severities = new Map(rules.map(({ alert, severity }) => [alert, severity]));
  return {
    pages: pager.pages,
    fires: (expected) => pager.pages.findLast((page) => isOf(expected, page))?.status === 'firing',
    firing: () => firing(pager.pages),
    active: async () => (await prometheus.rules()).filter(({ state }) => state !== 'inactive'),
    wrong: async () => [...(await unhealthy(prometheus)), ...misrouted(pager, severities)],
    rules: rules.map(({ alert }) => alert),
  };
}

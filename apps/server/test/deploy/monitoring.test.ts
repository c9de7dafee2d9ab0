import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ALARM_KINDS, ALARMS } from '../../src/audit/alarm.ts';

/** The rules and boards of deploy/monitoring, against the metrics and alarms of the code and the documents they name. */

const REPOSITORY = join(import.meta.dirname, '../../../..');
const textOf = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');

type Rule = {
  alert: string;
  expr: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
};
const read = (path: string): unknown => parse(textOf(`deploy/monitoring/${path}`));
const { groups } = read('counterfoil.rules.yml') as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const names = rules.map(({ alert }) => alert);

const code = globSync('apps/server/src/http/*.ts', { cwd: REPOSITORY })
  .filter((path) => !path.endsWith('.test.ts'))
  .map(textOf)
  .join('\n');
/** Roles of the database have names like those of metrics. */
const ROLE = /^counterfoil_(owner|api|worker|dashboard|views|admin)$/;
const metricsIn = (text: string) =>
  [...new Set([...text.matchAll(/\bcounterfoil_[a-z0-9_]+/g)].map(([name]) => name))].filter(
    (name) => !ROLE.test(name),
  );
const known = metricsIn(code);
const typed = [...code.matchAll(/\b(counterfoil_\w+): (gauge|counter)\(/g)].map(([, name = '', type]) => ({
  name,
  type,
}));
const constructed = [...code.matchAll(/new (Counter|Histogram)\(\{\s+(?:\.\.\.options,\s+)?name: '(\w+)'/g)];

const kindsOf = (urgency: string) => ALARM_KINDS.filter((kind) => ALARMS[kind].urgency === urgency).toSorted();

/** A histogram is queried by its parts. */
const PART = /_(bucket|sum|count)$/;
const unknownIn = (text: string) =>
  metricsIn(text).filter((name) => !known.includes(name) && !known.includes(name.replace(PART, '')));

/** The anchor of a heading, as GitHub and most generators of sites make it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
const anchorsOf = (path: string) =>
  [...textOf(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

describe('metrics', () => {
  test('totals are named _total and nothing else is, and times are in seconds', () => {
    const counters = [
      ...typed.filter(({ type }) => type === 'counter').map(({ name }) => name),
      ...constructed.filter(([, type]) => type === 'Counter').map(([, , name = '']) => name),
    ];
    const others = [
      ...typed.filter(({ type }) => type === 'gauge').map(({ name }) => name),
      ...constructed.filter(([, type]) => type === 'Histogram').map(([, , name = '']) => name),
    ];
    expect(counters.filter((name) => !name.endsWith('_total'))).toEqual([]);
    expect(others.filter((name) => name.endsWith('_total'))).toEqual([]);
    expect(known.filter((name) => /_(ms|millis|minutes|hours|kb|mb)(_|$)/.test(name))).toEqual([]);
  });

  test('monitor.md lists every metric of the code, and no other', () => {
    const listed = metricsIn(textOf('docs/operations/monitor.md'));
    expect(known.filter((name) => !listed.includes(name))).toEqual([]);
    expect(listed.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('rules', () => {
  test('a rule names only metrics that the code has', () => {
    expect(rules.flatMap(({ alert, expr }) => unknownIn(expr).map((name) => `${alert}: ${name}`))).toEqual([]);
    expect(rules.filter(({ expr }) => metricsIn(expr).length === 0 && !/\bup\{/.test(expr))).toEqual([]);
  });

  test('every rule has its own name, a severity, a summary and a runbook that exists', () => {
    expect(new Set(names).size).toBe(names.length);
    const wrong = rules.filter(({ labels, annotations }) => {
      const [path = '', anchor = ''] = annotations['runbook_url']?.split('#') ?? [];
      const isClear = /^[A-Z{].+\.$/.test(annotations['summary'] ?? '');
      const isSevere = ['critical', 'warning'].includes(labels['severity'] ?? '');
      return !isClear || !isSevere || !anchorsOf(path).includes(anchor);
    });
    expect(wrong.map(({ alert }) => alert)).toEqual([]);
  });

  test('every immediate alarm has a critical rule of its own, and every same-day alarm is in one rule', () => {
    const matched = rules.flatMap(({ expr, labels }) =>
      [...expr.matchAll(/counterfoil_alarms_unacknowledged\{kind=~?"([^"]+)"\}/g)].map(([, kinds = '']) => ({
        kinds: kinds.split('|').toSorted(),
        severity: labels['severity'],
      })),
    );
    const immediate = matched.filter(({ severity }) => severity === 'critical');
    expect(immediate.map(({ kinds }) => kinds.join('|')).toSorted()).toEqual(kindsOf('immediate'));
    const sameDay = matched.filter(({ severity }) => severity === 'warning');
    expect(sameDay.map(({ kinds }) => kinds)).toEqual([kindsOf('same-day')]);
  });

  test('every rule is tested by promtool: once silent in a healthy installation, and once firing', () => {
    type Check = { alertname: string; exp_alerts: unknown[] };
    const { tests } = read('counterfoil.test.yml') as { tests: { alert_rule_test: Check[] }[] };
    const checks = tests.flatMap((one) => one.alert_rule_test);
    expect(checks.filter((one) => one.exp_alerts.length === 0).map((one) => one.alertname)).toEqual(names);
    expect(checks.filter((one) => one.exp_alerts.length === 1).map((one) => one.alertname)).toEqual(names);
  });

  test('the example of Prometheus scrapes the jobs that the rules expect, at their ports, and both APIs of the guide', () => {
    type Job = { job_name: string; static_configs: { targets: string[] }[] };
    const { scrape_configs: jobs } = read('prometheus.yml') as { scrape_configs: Job[] };
    const guide = textOf('docs/configuration.md');
    const portOf = (setting: string) => new RegExp(`\`${setting}\` \\| \\w+ \\| \`(\\d+)\``).exec(guide)?.[1];
    const second = /COUNTERFOIL_OPERATIONS_PORT=(\d+)/.exec(textOf('docs/operations/install.md'))?.[1];
    const portsOf = (job: Job) => job.static_configs[0]?.targets.map((target) => target.split(':')[1]) ?? [];
    expect(jobs.map((job) => [job.job_name, ...portsOf(job)])).toEqual([
      ['counterfoil-api', portOf('COUNTERFOIL_OPERATIONS_PORT'), second],
      ['counterfoil-worker', portOf('COUNTERFOIL_WORKER_OPERATIONS_PORT')],
      ['counterfoil-dashboard', portOf('COUNTERFOIL_DASHBOARD_OPERATIONS_PORT')],
    ]);
    const unnamed = jobs.filter(({ job_name: job }) => !rules.some(({ expr }) => expr.includes(`job="${job}"`)));
    expect(unnamed).toEqual([]);
  });

  test('the example of Alertmanager names only rules that there are', () => {
    const text = textOf('deploy/monitoring/alertmanager.yml');
    const ends = [...text.matchAll(/Counterfoil\(([^)]+)\)/g)].flatMap(([, group = '']) => group.split('|'));
    const named = [...ends.map((end) => `Counterfoil${end}`), 'CounterfoilDatabaseDown'];
    expect(ends.length).toBeGreaterThanOrEqual(6);
    expect(named.filter((name) => !names.includes(name))).toEqual([]);
  });
});

test('a database that one kind of process cannot reach silences no alert about another kind', () => {
  type Inhibition = { source_matchers: string[]; equal?: string[] };
  const { inhibit_rules: inhibitions } = read('alertmanager.yml') as { inhibit_rules: Inhibition[] };
  const isBound = ({ source_matchers: sources, equal = [] }: Inhibition) =>
    equal.includes('job') || sources.some((source) => source.startsWith('job = '));
  expect(inhibitions.length).toBeGreaterThan(0);
  expect(inhibitions.filter((one) => !isBound(one))).toEqual([]);
});

describe('boards', () => {
  test.each(['payments', 'processes'])(
    'every panel of the board %s has queries of metrics that the code has',
    (board) => {
      type Panel = { title: string; targets: { expr: string }[] };
      const { panels } = JSON.parse(textOf(`deploy/monitoring/boards/${board}.json`)) as { panels: Panel[] };
      expect(panels.filter(({ targets }) => targets.length === 0)).toEqual([]);
      const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
      expect(queries.flatMap(unknownIn)).toEqual([]);
    },
  );
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  listRules,
  shortenAlertmanager,
  shortenDuration,
  shortenPrometheus,
  shortenRules,
} from '../../rig/monitoring/shorten.ts';

/** The copies of deploy/monitoring that the drill of alerts runs. */

const FOLDER = join(import.meta.dirname, '../../../../deploy/monitoring');
const textOf = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const FACTOR = 15;

describe('a shortened duration', () => {
  test.each([
    ['5m', '20000ms'],
    ['1h30m', '360000ms'],
    ['30s', '2000ms'],
    ['1ms', '1ms'],
  ])('of %s is %s', (given, shortened) => {
    expect(shortenDuration(given, FACTOR)).toBe(shortened);
  });

  test.each(['', '5', 'm', '5 m', '5w', 'often'])('of "%s" is refused', (given) => {
    expect(() => shortenDuration(given, FACTOR)).toThrow('no duration');
  });
});

const withoutWaits = (text: string) =>
  JSON.stringify(parse(text), (name, value: unknown) => (name === 'for' ? '' : value));

describe('shortened files', () => {
  test('a shortened rule differs from its rule in how long it waits, and in nothing else', () => {
    type Rules = { groups: { rules: { for?: string }[] }[] };
    const waitsOf = (text: string) =>
      (parse(text) as Rules).groups.flatMap(({ rules }) => rules.map((rule) => rule.for));
    const shipped = textOf('counterfoil.rules.yml');
    const shortened = shortenRules(shipped, FACTOR);
    expect(withoutWaits(shortened)).toBe(withoutWaits(shipped));
    expect(waitsOf(shortened)).toEqual(
      waitsOf(shipped).map((wait) => (wait === undefined ? undefined : shortenDuration(wait, FACTOR))),
    );
    expect(listRules(shortened)).toEqual(listRules(shipped));
  });

  test('the shortened Prometheus scrapes and evaluates more often, at the targets that it is given', () => {
    const targets = { 'counterfoil-api': 'a:1', 'counterfoil-worker': 'w:2', 'counterfoil-dashboard': 'd:3' };
    const places = { rules: '/rules.json', alertmanager: 'm:4', targets };
    expect(JSON.parse(shortenPrometheus(textOf('prometheus.yml'), places, FACTOR))).toEqual({
      global: { scrape_interval: '1000ms', evaluation_interval: '1000ms' },
      rule_files: ['/rules.json'],
      alerting: { alertmanagers: [{ static_configs: [{ targets: ['m:4'] }] }] },
      scrape_configs: Object.entries(targets).map(([job, target]) => ({
        job_name: job,
        static_configs: [{ targets: [target] }],
      })),
    });
    expect(() => shortenPrometheus(textOf('prometheus.yml'), { ...places, targets: {} }, FACTOR)).toThrow('no target');
  });

  test('the shortened Alertmanager keeps routes and inhibitions, and calls the drill for each receiver', () => {
    type Route = { receiver: string; group_wait: string; routes?: Route[]; matchers?: string[] };
    type File = { route: Route; inhibit_rules: unknown[]; receivers: unknown[] };
    const shipped = parse(textOf('alertmanager.yml')) as File;
    const shortened = JSON.parse(shortenAlertmanager(textOf('alertmanager.yml'), 'http://hook', FACTOR)) as File;
    expect(shortened.inhibit_rules).toEqual(shipped.inhibit_rules);
    expect(shortened.receivers).toEqual([
      { name: 'on-call', webhook_configs: [{ url: 'http://hook/on-call' }] },
      { name: 'email', webhook_configs: [{ url: 'http://hook/email' }] },
    ]);
    expect(shortened.route).toMatchObject({ receiver: 'email', group_wait: '2000ms' });
    expect(shortened.route.routes?.[0]).toMatchObject({ receiver: 'on-call', group_wait: '667ms' });
    expect(shortened.route.routes?.[0]?.matchers).toEqual(shipped.route.routes?.[0]?.matchers);
  });
});

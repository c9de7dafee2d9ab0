import { describe, expect, test } from 'vitest';
import type { Disturbance, UpgradeFigures } from '../rig/report/upgrade-judgement.ts';
import { countInFlight, findUpgradeFaults, sortFailures } from '../rig/report/upgrade-judgement.ts';

const KILL: Disturbance = { kind: 'kill', fromMs: 10_000, toMs: 10_000 };
const STOP: Disturbance = { kind: 'no drain', fromMs: 20_000, toMs: 21_000 };

const request = (sentAtMs: number, endedAtMs: number, status = 503) => ({ status, sentAtMs, endedAtMs });

describe('a failed request', () => {
  test.each([
    ['that ended before the kill', request(9_000, 9_999), 'failed'],
    ['that was in flight at the kill', request(9_000, 10_000), 'atKills'],
    ['that was sent 2 s after the kill', request(12_000, 12_001), 'atKills'],
    ['that was sent later', request(12_001, 12_002), 'failed'],
    ['that got no response at the kill', request(9_000, 10_500, 0), 'atKills'],
    ['that was sent before a stop without a drain and ended during it', request(19_000, 20_000), 'withoutDrain'],
    ['that was sent 2 s after such a stop', request(23_000, 23_001), 'withoutDrain'],
    ['that was sent later than that', request(23_001, 23_002), 'failed'],
  ])('%s counts as %s', (_what, failure, kind) => {
    const none = { failed: [], atKills: [], withoutDrain: [] };
    expect(sortFailures([failure], [KILL, STOP])).toEqual({ ...none, [kind]: [failure] });
  });

  test('between a kill and a stop without a drain counts as failed at the kill', () => {
    const stop: Disturbance = { ...STOP, fromMs: 9_000 };
    expect(sortFailures([request(9_500, 10_500)], [KILL, stop]).atKills).toHaveLength(1);
  });
});

test('a request that succeeds is no failure, whenever it was sent', () => {
  expect(sortFailures([request(9_000, 11_000, 200)], [KILL])).toEqual({ failed: [], atKills: [], withoutDrain: [] });
});

test('only failed requests that were sent before a kill and ended after it were in flight', () => {
  const all = [request(9_000, 10_100), request(9_000, 10_100, 200), request(10_001, 10_100), request(9_000, 9_500)];
  expect(countInFlight(all, KILL.fromMs)).toBe(1);
});

const GOOD: UpgradeFigures = {
  requests: 1_000,
  failed: 0,
  failed_without_drain: null,
  failed_at_kills: 9,
  kills: 2,
  in_flight_at_kills: 5,
  payments: 20,
  lost_webhooks: 0,
  emails: 4,
  lost_emails: 0,
  apis_replaced: 4,
  dashboards_replaced: 2,
  workers_replaced: 4,
  job_tables: [42, 43],
  rollback_ok: true,
};
const EXPECTED = { rounds: 1, methods: new Set(['GET', 'POST']), killsInFlight: [2, 3] };

test('an upgrade and a rollback without a fault pass, and failures that are allowed are no fault', () => {
  expect(findUpgradeFaults({ ...GOOD, failed_without_drain: 7 }, EXPECTED)).toEqual([]);
});

test.each<[string, Partial<UpgradeFigures>, RegExp]>([
  ['in which a request failed', { failed: 1 }, /1 requests failed/],
  ['that lost a webhook', { lost_webhooks: 1 }, /1 events never arrived/],
  ['that lost an email', { lost_emails: 1 }, /1 emails/],
  ['without payments', { payments: 0 }, /nothing was paid/],
  ['without emails', { emails: 0 }, /no email/],
  ['that replaced no API', { apis_replaced: 0 }, /apis_replaced is 0, not 4/],
  ['that replaced no dashboard', { dashboards_replaced: 0 }, /dashboards_replaced is 0, not 2/],
  ['that replaced no worker', { workers_replaced: 2 }, /workers_replaced is 2, not 4/],
  ['that killed nothing', { kills: 0 }, /kills is 0, not 2/],
  ['that migrated no job tables', { job_tables: [43, 43] }, /job tables were not migrated/],
  ['whose rollback failed', { rollback_ok: false }, /rollback failed/],
])('a drill %s fails', (_what, figures, fault) => {
  expect(findUpgradeFaults({ ...GOOD, ...figures }, EXPECTED)).toEqual([expect.stringMatching(fault)]);
});

test('a drill without one of the methods, or without a request in flight at a kill, fails', () => {
  expect(findUpgradeFaults(GOOD, { ...EXPECTED, methods: new Set(['GET']) })).toEqual(['no POST request was sent']);
  expect(findUpgradeFaults(GOOD, { ...EXPECTED, killsInFlight: [2, 0] })).toEqual([
    'no request was in flight at kill 2',
  ]);
});

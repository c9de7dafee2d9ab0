import { expect, test } from 'vitest';
import type { ChannelFacts } from '../alerts/alert-sql.ts';
import { judgeAlerts } from './judge-alerts.ts';

const GOOD: ChannelFacts = { channel: 'url', lastState: 'sent', mostAttempts: 0, lastError: null };

test.each<[string, Partial<ChannelFacts>, string]>([
  ['whose last alert arrived is fine', {}, 'fine'],
  ['without alerts is fine', { lastState: null }, 'fine'],
  ['whose alert is retried for some minutes is fine', { mostAttempts: 3 }, 'fine'],
  ['whose alert is retried for longer is wrong', { mostAttempts: 4 }, 'wrong'],
  ['whose last alert failed is wrong', { lastState: 'failed' }, 'wrong'],
])('a channel of alerts %s', (_title, facts, state) => {
  expect(judgeAlerts([{ ...GOOD, ...facts }]).map((finding) => finding.state)).toEqual([state]);
});

test('a finding names the channel, and the last error on one line', () => {
  const [finding] = judgeAlerts([
    { ...GOOD, channel: 'email', lastState: 'failed', lastError: '550 No\r\nsuch user' },
    GOOD,
  ]);
  expect(finding?.says).toBe('Alerts by email do not arrive: 550 No such user');
});

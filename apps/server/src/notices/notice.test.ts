import { ROLES } from '@counterfoil/core/permission.ts';
import { describe, expect, test } from 'vitest';
import type { BalanceVerdict, NoticeTopic } from './notice.ts';
import { isMissed, isTold, judgeBalance, NOTICE_KINDS, NOTICE_TOPICS, topicOf } from './notice.ts';

describe('a balance', () => {
  test.each<[string, bigint, bigint | null, bigint, BalanceVerdict]>([
    ['below its threshold is low', 9n, 10n, 0n, 'low'],
    ['at its threshold is not low', 10n, 10n, 0n, 'between'],
    ['above its threshold has not recovered at once', 124n, 100n, 0n, 'between'],
    ['above its threshold by a quarter has recovered', 125n, 100n, 0n, 'enough'],
    ['with a threshold of 0 is never low', 0n, 0n, 7_000n, 'enough'],
    ['that is overdrawn is low', -1n, 1n, 0n, 'low'],
    ['without a threshold and fees is enough', 1n, null, 0n, 'enough'],
    ['that is empty is low, without a threshold and without fees', 0n, null, 0n, 'low'],
    ['that is overdrawn is low, without a threshold and without fees', -1n, null, 0n, 'low'],
    ['without a threshold is low when it lasts two days', 2_999n, null, 7_000n, 'low'],
    ['without a threshold is not low when it lasts three days', 3_000n, null, 7_000n, 'between'],
    ['without a threshold has recovered when it lasts four days', 4_000n, null, 7_000n, 'enough'],
    ['without a threshold that is used up is low', 0n, null, 7_000n, 'low'],
  ])('%s', (_what, availableMicroUsd, thresholdMicroUsd, feesMicroUsd, expected) => {
    expect(judgeBalance({ availableMicroUsd, thresholdMicroUsd, feesMicroUsd })).toBe(expected);
  });
});

test.each<[string, bigint | null, boolean, boolean]>([
  ['of a store that sells is told', null, true, true],
  ['of an idle store is not told', null, false, false],
  ['of an idle store with a threshold is told', 1n, false, true],
])('a low balance %s', (_what, thresholdMicroUsd, sells, expected) => {
  expect(isMissed({ thresholdMicroUsd, sells })).toBe(expected);
});

test.each<[NoticeTopic, string]>([
  ['balance', 'owner admin finance'],
  ['webhooks', 'owner admin developer'],
  ['unmatched-money', 'owner admin finance'],
  ['api-keys', 'owner admin developer'],
  ['exchange-keys', 'owner admin developer finance'],
])('of %s these are told: %s', (topic, roles) => {
  expect(ROLES.filter((role) => isTold(role, topic)).join(' ')).toBe(roles);
});

test('nobody is told anything in a role that is not known', () => {
  expect(NOTICE_TOPICS.filter((topic) => isTold('janitor', topic) || isTold('', topic))).toEqual([]);
});

test('every kind of notice can be switched off', () => {
  expect(new Set(NOTICE_KINDS.map(topicOf))).toEqual(new Set(NOTICE_TOPICS));
});

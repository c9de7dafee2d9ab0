import { expect, test } from 'vitest';
import type { FollowedAccount } from './account-store.ts';
import type { Look, Reasons } from './choose-look.ts';
import { chooseLook } from './choose-look.ts';

const account = (change: Partial<FollowedAccount> = {}): FollowedAccount => ({
  account: 'a',
  state: 'following',
  startAt: 0,
  openUntil: 10_000,
  cursor: { height: 100, time: 1_000 },
  version: 1n,
  covered: { height: 90, time: 1_000 },
  unsettled: undefined,
  failures: 0,
  doubtedMs: undefined,
  ...change,
});

const calm: Reasons = {
  finalized: { height: 95, time: 1_001 },
  changed: false,
  end: undefined,
  coverSeconds: { open: 90, resting: 600 },
};
const finalAt = (time: number) => ({ finalized: { height: 95, time } });
const resting = { openUntil: 999 };

test.each<[string, Partial<FollowedAccount>, Partial<Reasons>, Look]>([
  ['nothing happens and coverage is near', {}, finalAt(1_089), 'none'],
  ['coverage is far behind', {}, finalAt(1_090), 'both'],
  ['it rests, and coverage is as far behind', resting, finalAt(1_090), 'none'],
  ['it rests, and coverage is further behind', resting, finalAt(1_600), 'both'],
  ['it changed', {}, { changed: true }, 'first'],
  ['it changed while it rests', resting, { changed: true }, 'first'],
  ['something seen is final now', { unsettled: 95 }, {}, 'second'],
  ['something seen is not final yet', { unsettled: 96 }, {}, 'none'],
  ['something seen is final now, and it changed again', { unsettled: 95 }, { changed: true }, 'both'],
  [
    'something found by a rescan is above its cursor',
    { unsettled: 95, cursor: { height: 94, time: 1_000 } },
    {},
    'both',
  ],
  ['it was never read', { state: 'starting', covered: undefined }, {}, 'both'],
  ['its last end became final', { openUntil: 1_003 }, finalAt(1_004), 'both'],
  ['its last end is not final yet', { openUntil: 1_004 }, finalAt(1_004), 'none'],
  ['another end became final', {}, { ...finalAt(1_004), end: 1_003 }, 'both'],
  ['another end is not final yet', {}, { ...finalAt(1_004), end: 1_004 }, 'none'],
  ['another end is covered', {}, { ...finalAt(1_004), end: 999 }, 'none'],
])('an account is looked at when that can change something: %s', (_title, change, reasons, look) => {
  expect(chooseLook(account(change), { ...calm, ...reasons })).toBe(look);
});

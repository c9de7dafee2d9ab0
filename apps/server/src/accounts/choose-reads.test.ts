import { expect, test } from 'vitest';
import { followedAccount } from '../../rig/chains/followed-account.ts';
import type { FollowedAccount } from './account-sql.ts';
import type { Reads, Reasons } from './choose-reads.ts';
import { chooseReads, isQuiet } from './choose-reads.ts';

const AGE = 15;
const end = (height: number, time: number, ageSeconds: number) => ({ height, time, ageSeconds });

const calm: Reasons = {
  finalized: { height: 95, time: 1_001 },
  changed: false,
  end: undefined,
  coverSeconds: { open: 90, resting: 600 },
  ageSeconds: AGE,
  providers: ['first'],
  exact: false,
};
const finalAt = (time: number) => ({ finalized: { height: 110, time } });
const resting = { openUntil: 989 };
const aged = { cursor: end(100, 1_000, AGE) };
const twoProviders = { providers: ['first', 'second'] };
const held = { coverLimit: { height: 90, time: 990 } };

const chosen = (reads: Reads) => Object.entries(reads).flatMap(([name, due]) => (due ? [name] : []));

test.each<[string, Partial<FollowedAccount>, Partial<Reasons>, (keyof Reads)[]]>([
  ['nothing happens and coverage is near', aged, finalAt(1_079), []],
  ['coverage is far behind, and what was read is old enough', aged, finalAt(1_080), ['second']],
  ['coverage is far behind, and what was read is not old enough', {}, finalAt(1_080), []],
  [
    'coverage is far behind, and another provider can be asked at once',
    {},
    { ...finalAt(1_080), ...twoProviders },
    ['second'],
  ],
  [
    'several providers read a part, so that only age helps',
    { readBy: undefined },
    { ...finalAt(1_080), ...twoProviders },
    [],
  ],
  ['it was not read for long either', aged, finalAt(1_090), ['first', 'second']],
  [
    'everything that was read is covered, long ago',
    { covered: { height: 100, time: 1_000 } },
    finalAt(1_090),
    ['first'],
  ],
  ['it rests, and is as far behind', { ...resting, ...aged }, finalAt(1_090), []],
  ['it rests, and is further behind', { ...resting, ...aged }, finalAt(1_600), ['first', 'second']],
  ['it changed', {}, { changed: true }, ['first']],
  ['it changed while it rests', resting, { changed: true }, ['first']],
  ['a payment is final now', { unproven: 95 }, {}, ['proofs']],
  ['a payment is not final yet', { unproven: 96 }, {}, []],
  ['a payment is final now, and it changed again', { unproven: 95 }, { changed: true }, ['first', 'proofs']],
  ['it was never read', { state: 'starting', covered: undefined }, {}, ['first']],
  ['an end became final that it was not read past', { openUntil: 1_000 }, finalAt(1_004), ['first']],
  [
    'an end became final, and it was read past that long enough ago',
    { openUntil: 999, ...aged },
    finalAt(1_004),
    ['second'],
  ],
  ['an end became final, and it was read past that just now', { openUntil: 999 }, finalAt(1_004), []],
  ['its last end is not final yet', { openUntil: 1_004, ...aged }, finalAt(1_004), []],
  ['another end became final', aged, { ...finalAt(1_004), end: 999 }, ['second']],
  ['another end is not final yet', aged, { ...finalAt(1_004), end: 1_004 }, []],
  ['another end is covered', aged, { ...finalAt(1_004), end: 989 }, []],
  [
    'it is covered up to what cannot be read, and an end waits',
    { ...aged, ...held },
    { ...finalAt(1_004), end: 999 },
    [],
  ],
  ['it is covered up to what cannot be read, for long', { ...aged, ...held }, finalAt(9_000), ['first']],
  ['what cannot be read is further up', { ...aged, coverLimit: { height: 95, time: 995 } }, finalAt(1_080), ['second']],
  ['what could not be read is to be tried again', { ...held, retryDue: true }, {}, ['retries']],
])('an account is read when that can change something: %s', (_title, change, reasons, names) => {
  const reads = chooseReads(followedAccount(change), { ...calm, ...reasons });
  expect(chosen(reads)).toEqual(names);
  expect(isQuiet(reads)).toBe(names.length === 0);
});

import { expect, test } from 'vitest';
import type { Fingerprint } from './account-fingerprint.ts';
import { afterLook, afterPoll, hasChanged, keepFingerprint } from './account-fingerprint.ts';

const POLLS = 60;

type Case = { known: Fingerprint | undefined; held: string; foundAtLook?: number; starting?: boolean };

/** At which of many polls an account that goes on holding the same is looked at. */
function looksAt({ known, held, foundAtLook, starting = false }: Case): number[] {
  const looks: number[] = [];
  let now = known;
  for (let poll = 0; poll < POLLS; poll += 1) {
    if (hasChanged(now, held)) {
      looks.push(poll);
      now = afterLook(now, { held, found: looks.length === foundAtLook, starting: starting && poll === 0 });
    } else if (now) now = afterPoll(now);
  }
  return looks;
}

const before: Fingerprint = { held: '5', unexplainedPolls: null };

test.each<[string, Case, number[]]>([
  ['it holds what it held', { known: before, held: '5' }, []],
  ['it was never looked at by this process', { known: undefined, held: '5' }, [0]],
  ['the payment is found at once', { known: before, held: '9', foundAtLook: 1 }, [0, 5]],
  ['the listing was behind', { known: before, held: '9', foundAtLook: 3 }, [0, 1, 2, 7]],
  ['the listing was far behind', { known: before, held: '9', foundAtLook: 6 }, [0, 1, 2, 3, 5, 8, 13]],
  ['nothing explains it: it paid somebody itself', { known: before, held: '0' }, [0, 1, 2, 3, 5, 8, 13, 21]],
  [
    'it was asked for just now, and may have been paid at once',
    { known: undefined, held: '5', starting: true },
    [0, 1, 2, 3, 5, 8, 13, 21],
  ],
  [
    'it changed again while it was looked at',
    { known: { held: '9', unexplainedPolls: 20 }, held: '8' },
    [0, 1, 2, 3, 5, 8, 13, 21],
  ],
])(
  'a change is looked at often until a payment is found, then once more, and not for ever: %s',
  (_title, one, polls) => {
    expect(looksAt(one)).toEqual(polls);
  },
);

test('what is not told counts as changed', () => {
  expect(hasChanged(before, undefined)).toBe(true);
});

test('the oldest are forgotten', () => {
  const fingerprints = new Map<string, Fingerprint>();
  for (let count = 0; count <= 50_000; count += 1) keepFingerprint(fingerprints, `account ${count}`, before);
  expect(fingerprints.size).toBe(50_000);
  expect(fingerprints.has('account 0')).toBe(false);
});

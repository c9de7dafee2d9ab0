import { expect, test } from 'vitest';
import type { Fingerprint } from './account-fingerprint.ts';
import { afterRead, afterPoll, hasChanged, keepFingerprint } from './account-fingerprint.ts';

const POLLS = 60;

type Case = { known: Fingerprint | undefined; balances: string; foundAtRead?: number; starting?: boolean };

/** Polls at which a followed account with unchanged balances is read. */
function readsAt({ known, balances, foundAtRead, starting = false }: Case): number[] {
  const reads: number[] = [];
  let now = known;
  for (let poll = 0; poll < POLLS; poll += 1) {
    if (hasChanged(now, balances)) {
      reads.push(poll);
      now = afterRead(now, { balances, found: reads.length === foundAtRead, starting: starting && poll === 0 });
    } else if (now) now = afterPoll(now);
  }
  return reads;
}

const before: Fingerprint = { balances: '5', unexplainedPolls: null };

test.each<[string, Case, number[]]>([
  ['it holds what it held', { known: before, balances: '5' }, []],
  ['it was never read by this process', { known: undefined, balances: '5' }, [0]],
  ['the payment is found at once', { known: before, balances: '9', foundAtRead: 1 }, [0, 5]],
  ['the listing was behind', { known: before, balances: '9', foundAtRead: 3 }, [0, 1, 2, 7]],
  ['the listing was far behind', { known: before, balances: '9', foundAtRead: 6 }, [0, 1, 2, 3, 5, 8, 13]],
  ['nothing explains it: it paid somebody itself', { known: before, balances: '0' }, [0, 1, 2, 3, 5, 8, 13, 21]],
  [
    'it was asked for just now, and may have been paid at once',
    { known: undefined, balances: '5', starting: true },
    [0, 1, 2, 3, 5, 8, 13, 21],
  ],
  [
    'it changed again while it was read',
    { known: { balances: '9', unexplainedPolls: 20 }, balances: '8' },
    [0, 1, 2, 3, 5, 8, 13, 21],
  ],
])(
  'changed balances are read often until a payment is found, then once more, and not for ever: %s',
  (_title, one, polls) => {
    expect(readsAt(one)).toEqual(polls);
  },
);

test('balances that a provider does not show count as changed', () => {
  expect(hasChanged(before, undefined)).toBe(true);
});

test('the oldest fingerprints are forgotten', () => {
  const fingerprints = new Map<string, Fingerprint>();
  for (let count = 0; count <= 50_000; count += 1) keepFingerprint(fingerprints, `account ${count}`, before);
  expect(fingerprints.size).toBe(50_000);
  expect(fingerprints.has('account 0')).toBe(false);
});

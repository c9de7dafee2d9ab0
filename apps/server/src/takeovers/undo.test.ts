import { describe, expect, test } from 'vitest';
import type { UndoFacts } from './undo.ts';
import { decideUndo } from './undo.ts';

/**
 * In these cases the victim has the email address `own` and the two-factor methods `app` and `codes`; the thief has the
 * address `new` and the passkey `key`.
 */
const state = (id: bigint, mailNormal: string, ...methods: string[]) => ({ id, mailNormal, methods });
const TAKEN = [state(1n, 'own', 'app', 'codes'), state(2n, 'own', 'key'), state(3n, 'new', 'key')];

const restore = (target: bigint, endsPending = false) => ({ kind: 'restore', target, endsPending });
const wait = (target: bigint, endsPending = false) => ({ kind: 'wait', target, endsPending });

const CASES: readonly (readonly [string, UndoFacts, object])[] = [
  ['nothing is kept any more', { kept: [], linkedId: 1n }, { kind: 'void' }],
  ['the credentials of the link were restored', { kept: [state(1n, 'own')], linkedId: 2n }, { kind: 'void' }],
  ['the first link, and an earlier app', { kept: TAKEN, linkedId: 1n, proof: 'app' }, restore(1n)],
  ['a later link of the same address, and an earlier app', { kept: TAKEN, linkedId: 2n, proof: 'app' }, restore(1n)],
  [
    'an app that later credentials have too',
    { kept: [state(1n, 'own', 'app'), state(2n, 'own', 'app')], linkedId: 2n, proof: 'app' },
    restore(1n),
  ],
  ['an earlier recovery code', { kept: TAKEN, linkedId: 2n, proof: 'codes' }, restore(1n)],
  ['a method that was added later', { kept: TAKEN, linkedId: 1n, proof: 'key' }, restore(2n)],
  ['a method of another address only', { kept: TAKEN, linkedId: 3n, proof: 'app' }, { kind: 'refused' }],
  ['a method that nobody had', { kept: TAKEN, linkedId: 1n, proof: 'other' }, { kind: 'refused' }],
  ['no method', { kept: TAKEN, linkedId: 2n }, wait(1n)],
  ['no method, at a newer address', { kept: TAKEN, linkedId: 3n }, wait(3n)],
  [
    'no method, while the same restore is pending',
    { kept: TAKEN, linkedId: 2n, pending: { earlierId: 1n } },
    { kind: 'waits' },
  ],
  [
    'no method, while an older restore is pending',
    { kept: TAKEN, linkedId: 3n, pending: { earlierId: 1n } },
    { kind: 'waits' },
  ],
  [
    'no method, while a newer restore is pending',
    { kept: TAKEN, linkedId: 1n, pending: { earlierId: 3n } },
    wait(1n, true),
  ],
  [
    'a method, while a restore of the same address is pending',
    { kept: TAKEN, linkedId: 1n, proof: 'key', pending: { earlierId: 1n } },
    restore(2n, true),
  ],
  [
    'a method, while a newer restore is pending',
    { kept: TAKEN, linkedId: 1n, proof: 'app', pending: { earlierId: 3n } },
    restore(1n, true),
  ],
  [
    'a method at a newer address, while an older restore is pending',
    { kept: TAKEN, linkedId: 3n, proof: 'key', pending: { earlierId: 1n } },
    restore(3n, false),
  ],
];

describe('an undo link', () => {
  test.each(CASES)('decides: %s', (_name, facts, decision) => {
    expect(decideUndo(facts)).toEqual(decision);
  });

  test('never ends anything older than what it restores, whoever follows which link in which order', () => {
    const mailOf = (wanted: bigint) => TAKEN.find(({ id }) => id === wanted)?.mailNormal;
    const wrong = TAKEN.flatMap(({ id: linkedId, mailNormal }) =>
      [undefined, 'app', 'codes', 'key'].flatMap((proof) =>
        [1n, 2n, 3n].filter((earlierId) => {
          const decision = decideUndo({ kept: TAKEN, linkedId, proof, pending: { earlierId } });
          if (!('target' in decision)) return false;
          const endsOlder = decision.endsPending && earlierId < decision.target && mailOf(earlierId) !== mailNormal;
          return endsOlder || mailOf(decision.target) !== mailNormal;
        }),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

import type { Mutant } from '../mutant.ts';

/** Bugs in undoing a takeover: who gets a link, how far back it goes, and what it ends. */
export const TAKEOVER_MUTANTS: readonly Mutant[] = [
  {
    name: 'undo-for-new-address',
    edits: [
      {
        file: 'src/people/keep-earlier.ts',
        find: 'return isOldest ? {',
        replace: 'return isOldest || id > 0n ? {',
      },
    ],
    suite: 'test/people/takeovers.test.ts',
    title: 'is not sent to an address that the person got in the last seven days',
  },
  {
    name: 'passkey-survives-undo',
    edits: [
      {
        file: 'src/people/add-passkey.ts',
        find: 'const undo = await keepEarlier(',
        replace: 'const undo = personId > 0n ? {} : await keepEarlier(',
      },
    ],
    suite: 'test/people/takeovers.test.ts',
    title: 'removes a passkey that a thief added before everything else',
  },
  {
    name: 'restore-keeps-later-links',
    edits: [
      {
        file: 'src/people/earlier-credentials-sql.ts',
        find: 'and id >= ${id} and ended_at is null',
        replace: 'and id = ${id} and ended_at is null',
      },
    ],
    suite: 'test/people/takeovers.test.ts',
    title: 'is void once another one restored the same or older credentials',
  },
  {
    name: 'restore-ends-older',
    edits: [
      {
        file: 'src/people/earlier-credentials-sql.ts',
        find: 'and id >= ${id} and ended_at is null',
        replace: 'and (id >= ${id} or true) and ended_at is null',
      },
    ],
    suite: 'test/people/takeovers.test.ts',
    title: 'goes back to the oldest credentials that have the method which is given',
  },
  {
    name: 'restore-to-newest',
    edits: [
      {
        file: 'src/takeovers/undo.ts',
        find: 'const target = states.find(',
        replace: 'const target = states.findLast(',
      },
    ],
    suite: 'src/takeovers/undo.test.ts',
    title: 'decides: an app that later credentials have too',
  },
  {
    name: 'restore-ends-older-pending',
    edits: [
      {
        file: 'src/takeovers/undo.ts',
        find: '(isOwn || pending.earlierId >= target.id)',
        replace: '(isOwn || pending.earlierId > 0n)',
      },
    ],
    suite: 'src/takeovers/undo.test.ts',
    title: 'decides: a method at a newer address, while an older restore is pending',
  },
  {
    name: 'restore-without-a-day',
    edits: [{ file: 'src/takeovers/undo.ts', find: 'const WAIT_HOURS = 24;', replace: 'const WAIT_HOURS = 23;' }],
    suite: 'test/people/takeovers.test.ts',
    title: 'waits a day, also for a person who never had two-factor',
  },
  {
    name: 'thief-stays-notified',
    edits: [
      {
        file: 'src/takeovers/apply-restore.ts',
        find: 'await forgetReplacedAddresses(tx, personId, target.keptAt);',
        replace: 'await forgetReplacedAddresses(tx, personId, new Date(at.getTime() + 1));',
      },
    ],
    suite: 'test/people/takeovers.test.ts',
    title: 'leaves no address of the thief that is notified as a former one',
  },
  {
    name: 'undo-leaves-sessions',
    edits: [
      {
        file: 'src/takeovers/open-undo.ts',
        find: 'await revokeSessionsOf(tx, personId, null, at);',
        replace: 'await revokeSessionsOf(tx, 0n, null, at);',
      },
    ],
    suite: 'test/people/takeovers.test.ts',
    title: 'ends all sessions when it is opened, before anything is proven',
  },
  {
    name: 'undo-forgets-former-owner',
    edits: [
      {
        file: 'src/people/restore-sql.ts',
        find: 'and ended_at >= ${since}',
        replace: 'and ended_at < ${since}',
      },
    ],
    suite: 'test/people/takeover-limits.test.ts',
    title: 'locks also a merchant from which the thief has removed the victim',
  },
  {
    name: 'undo-by-used-code',
    edits: [
      {
        file: 'src/people/earlier-credentials.ts',
        find: 'usedAt: usedAt ?? used.get(hash) ?? null',
        replace: "usedAt: usedAt ?? used.get('') ?? null",
      },
    ],
    suite: 'test/people/takeover-limits.test.ts',
    title: 'refuses a recovery code that was used before or after the change',
  },
  {
    name: 'reset-mails-thief',
    edits: [
      {
        file: 'src/people/open-factor-reset.ts',
        find: '(await findOldestAddress(tx, personId, changedSince(at))) ?? present',
        replace: '(await findOldestAddress(tx, 0n, changedSince(at))) ?? present',
      },
    ],
    suite: 'test/people/takeover-limits.test.ts',
    title: 'can be stopped only from the address that is older than the changes of the last seven days',
  },
  {
    name: 'thief-keeps-own-factor',
    edits: [
      {
        file: 'src/people/factor-reset-sql.ts',
        find: "and e.changed = 'factors' and",
        replace: "and e.changed = 'address' and",
      },
    ],
    suite: 'test/people/takeover-limits.test.ts',
    title: 'is not stopped by a two-factor method while one was changed in the last seven days',
  },
];

import type { Mutant } from '../mutant.ts';
import { lines } from '../mutant.ts';

/** Bugs in payment methods, stores and their keys. */
export const PAYMENT_METHODS_MUTANTS: readonly Mutant[] = [
  {
    name: 'unchecked-key-is-offered',
    edits: [
      {
        file: 'src/wallets/exchange-account.ts',
        find: "if (checkedAt.getTime() < nowMs - CHECK_LASTS_MS) return 'not-checked';",
        replace: "if (checkedAt.getTime() > nowMs + CHECK_LASTS_MS) return 'not-checked';",
      },
    ],
    suite: 'src/wallets/exchange-account.test.ts',
    title: 'is not offered later',
  },
  {
    name: 'unknown-rights-are-taken',
    edits: [
      {
        file: 'src/wallets/exchange-account.ts',
        find: "if (facts.refusedRights.length > 0) return `too-many-rights: ${facts.refusedRights.join(', ')}`;",
        replace: "if (facts.refusedRights.length > 5) return `too-many-rights: ${facts.refusedRights.join(', ')}`;",
      },
    ],
    suite: 'src/wallets/exchange-account.test.ts',
    title: 'that may withdraw is refused by the name of the right',
  },
  {
    name: 'gate-not-tuned',
    edits: [
      {
        file: 'src/wallets/tune-gate.ts',
        find: 'gate.shareWith(await countWorkers(database.queries));',
        replace: 'gate.shareWith(Math.min(1, await countWorkers(database.queries)));',
      },
    ],
    suite: 'test/exchanges/shared-quota.test.ts',
    title: 'each of several workers takes its part of the turns',
  },
  {
    name: 'method-decided-again',
    edits: [
      {
        file: 'src/wallets/method-change-sql.ts',
        find: "where c.id = ${id} and c.state = 'pending' for update of c for share of s`.execute(tx);",
        replace: 'where c.id = ${id} for update of c for share of s`.execute(tx);',
      },
    ],
    suite: 'test/dashboard/method-change-races.test.ts',
    title:
      'a due change is applied once or not at all: never after what stopped it, and it ends in one state that the audit tells',
  },
  {
    name: 'method-store-not-held',
    edits: [
      {
        file: 'src/wallets/method-change-sql.ts',
        find: "where c.id = ${id} and c.state = 'pending' for update of c for share of s`.execute(tx);",
        replace: "where c.id = ${id} and c.state = 'pending' for update of c`.execute(tx);",
      },
    ],
    suite: 'test/dashboard/method-change-races.test.ts',
    title:
      'a due change is applied once or not at all: never after what stopped it, and it ends in one state that the audit tells',
  },
  {
    name: 'methods-not-held',
    edits: [
      {
        file: 'src/merchants/merchant-sql.ts',
        find: lines(
          'select active, methods_locked_at as "lockedAt", ${DELAY}',
          '    from merchants where id = ${merchantAccountId} for no key update`.execute(tx);',
        ),
        replace: lines(
          'select active, methods_locked_at as "lockedAt", ${DELAY}',
          '    from merchants where id = ${merchantAccountId}`.execute(tx);',
        ),
      },
    ],
    suite: 'test/dashboard/method-change-races.test.ts',
    title:
      'what is asked for at the moment of a lock is refused or stopped: nothing waits, and no key is made, after the lock',
  },
  {
    name: 'lock-leaves-waiting',
    edits: [
      {
        file: 'src/wallets/lock-methods.ts',
        find: "const stopped = await decideWaiting(tx, { merchantAccountId }, { state: 'locked', by, at });",
        replace:
          "const stopped = await decideWaiting(tx, { merchantAccountId, code: '' }, { state: 'locked', by, at });",
      },
    ],
    suite: 'test/dashboard/methods-lock.test.ts',
    title: 'stops what waits, for ever, and is told to the owners',
  },
  {
    name: 'requester-unlocks',
    edits: [
      {
        file: 'src/wallets/method-change-sql.ts',
        find: "requestedBy} and state = 'locked' and decided_at >",
        replace: "requestedBy} and state = 'pending' and decided_at >",
      },
    ],
    suite: 'test/dashboard/methods-lock.test.ts',
    title: 'is refused within a day of the lock to whoever asked for what it stopped',
  },
  {
    name: 'removed-methods-forgotten',
    edits: [
      {
        file: 'src/wallets/method-change-sql.ts',
        find: 'exists (select from wallets where store_id = ${storeId}) as "hadMethod",',
        replace: 'exists (select from wallets where store_id = ${storeId} and removed_at is null) as "hadMethod",',
      },
    ],
    suite: 'test/dashboard/method-changes.test.ts',
    title: 'takes effect no method of a store that had one and removed it',
  },
  {
    name: 'third-key-lives',
    edits: [
      {
        file: 'src/stores/api-key-sql.ts',
        find: 'timestamptz, ${moment(at)}) else ${moment(at)} end)',
        replace: 'timestamptz, ${moment(at)}) else k.expires_at end)',
      },
    ],
    suite: 'src/stores/create-store.test.ts',
    title: 'with an overlap ends a key that was still overlapping at once: there are never more than two',
  },
  {
    name: 'reveal-not-audited',
    edits: [
      {
        file: 'src/stores/reveal-api-key.ts',
        find: lines('await inTransaction(database, (tx) =>', '    recordAudit(tx, clock, actor, {'),
        replace: lines(
          'await inTransaction(database, async (tx) =>',
          "    actor.kind === 'person' ? undefined : recordAudit(tx, clock, actor, {",
        ),
      },
    ],
    suite: 'test/dashboard/keys.test.ts',
    title: 'is copied by a developer, is in no cache, and stands in the audit by its last characters',
  },
  {
    name: 'reveals-not-counted',
    edits: [
      {
        file: 'src/stores/require-reveal.ts',
        find: 'await requireRevealed(queries, actor.id);',
        replace: 'if (actor.id === 0n) await requireRevealed(queries, actor.id);',
      },
    ],
    suite: 'test/dashboard/keys.test.ts',
    title: 'is shown to a person at most twenty times an hour, and so are webhook secrets, together',
  },
  {
    name: 'key-issued-while-locked',
    edits: [
      {
        file: 'src/stores/issue-api-key.ts',
        find: 'await holdUnlocked(tx, store.merchantAccountId);',
        replace: 'await holdUnlocked(tx, store.merchantAccountId).catch(() => {});',
      },
    ],
    suite: 'test/dashboard/methods-lock.test.ts',
    title: 'refuses every addition, by whomever, and new API keys; a removal stays possible',
  },
  {
    name: 'removal-leaves-waiting',
    edits: [
      {
        file: 'src/wallets/remove-wallet.ts',
        find: 'const waiting = { merchantAccountId, storeId, network: network.id };',
        replace: 'const waiting = { merchantAccountId, storeId, network: network.id, address };',
      },
    ],
    suite: 'test/dashboard/method-changes.test.ts',
    title: 'takes effect a removal, which ends what waits on the same network and nothing else',
  },
  {
    name: 'ordered-by-anybody',
    edits: [
      {
        file: 'src/wallets/method-change.ts',
        find: "if (facts.asker === 'operator-now') return { apply: 'ordered' };",
        replace: "if (facts.asker !== 'person') return { apply: 'ordered' };",
      },
    ],
    suite: 'src/wallets/method-change.test.ts',
    title: 'that an operator adds waits for the delay',
  },
];

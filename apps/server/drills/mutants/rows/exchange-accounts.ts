import type { Mutant } from '../mutant.ts';

/** Bugs about keys and clocks of exchange accounts, and about payments that a platform holds. */
export const EXCHANGE_ACCOUNTS_MUTANTS: readonly Mutant[] = [
  {
    name: 'platform-time-set-back',
    edits: [
      { file: 'src/accounts/platform-time.ts', find: 'if (last && ageMs >= 0 && ageMs', replace: 'if (last && ageMs' },
    ],
    suite: 'src/accounts/platform-time.test.ts',
    title: 'a platform is asked for its time again after our clock was set back',
  },
  {
    name: 'covered-by-computed-time',
    edits: [
      {
        file: 'src/accounts/poll-statement.ts',
        find: 'coveredAfter({ ...gathered, coveredMs, cursorMs }, measuredMs)',
        replace: 'coveredAfter({ ...gathered, coveredMs, cursorMs }, nowMs)',
      },
    ],
    suite: 'test/exchanges/guards.test.ts',
    title: 'coverage stays two minutes behind the clock of a platform when ours jumps ahead between two measurements',
  },
  {
    name: 'old-key-check-saved-for-new',
    edits: [
      {
        file: 'src/wallets/exchange-account-sql.ts',
        find: 'and secret_id = ${secretId} for update',
        replace: 'and secret_id >= ${secretId} for update',
      },
    ],
    suite: 'test/exchanges/keys.test.ts',
    title: 'a check of a key that was replaced meanwhile says nothing about the new key',
  },
  {
    name: 'new-key-starts-stopped',
    edits: [
      {
        file: 'src/wallets/exchange-account-sql.ts',
        find: 'check_due_at = ${one.checkDueAt}, fault = null, faulty_since = null',
        replace:
          'check_due_at = ${one.checkDueAt}, fault = null, faulty_since = null, stopped_at = null, stop_reason = null, stopped_by = null',
      },
    ],
    suite: 'test/exchanges/keys.test.ts',
    title: 'a new key of a stopped exchange account leaves the account stopped',
  },
  {
    name: 'older-key-replaces-newer',
    edits: [
      {
        file: 'src/wallets/exchange-account-sql.ts',
        find: 'and (x.secret_id < ${one.secretId} or x.removed_at is not null)',
        replace: 'and (x.secret_id <> ${one.secretId} or x.removed_at is not null)',
      },
    ],
    suite: 'test/exchanges/keys.test.ts',
    title: 'does not put its key in the place of a newer one',
  },
  {
    name: 'refused-key-checked-late',
    edits: [
      {
        file: 'src/wallets/exchange-account-sql.ts',
        find: 'set fault = ${fault}, faulty_since = ${at}, check_due_at = ${at}',
        replace: 'set fault = ${fault}, faulty_since = ${at}',
      },
    ],
    suite: 'test/exchanges/keys.test.ts',
    title: 'a key that was refused once is checked again within minutes, and is offered again',
  },
  {
    name: 'shorter-pause-ends-longer',
    edits: [
      {
        file: 'src/wallets/exchange-account-sql.ts',
        find: 'set paused_until = greatest(p.paused_until, excluded.paused_until)',
        replace: 'set paused_until = excluded.paused_until',
      },
    ],
    suite: 'test/exchanges/shared-quota.test.ts',
    title: 'a shorter pause of a base URL does not end a longer one',
  },
  {
    name: 'adapter-clock-set-back',
    edits: [
      {
        file: 'src/platforms/exchange/platform-clock.ts',
        find: 'Math.abs(clock.nowMs() - last.atMs)',
        replace: 'clock.nowMs() - last.atMs',
      },
    ],
    suite: 'src/platforms/exchange/platform-clock.test.ts',
    title: 'a platform is measured anew after our clock was set back',
  },
  {
    name: 'one-key-pauses-all',
    edits: [
      {
        file: 'src/platforms/kucoin/kucoin-dialect.ts',
        find: "if (code === ADDRESS_CODE || (code === undefined && status === FORBIDDEN)) return 'address';",
        replace: "if (code === ADDRESS_CODE || status === FORBIDDEN) return 'address';",
      },
    ],
    suite: 'test/exchanges/keys.test.ts',
    title: 'is marked, and another merchant is paid at the same platform meanwhile',
  },
  {
    name: 'silence-of-ours-untold',
    edits: [
      {
        file: 'src/accounts/follow-statements.ts',
        find: 'await raiseFailure(follower, followed, reason).catch',
        replace: 'if (cause instanceof SourceError) await raiseFailure(follower, followed, reason).catch',
      },
    ],
    suite: 'test/exchanges/gaps.test.ts',
    title: 'an exchange account that cannot be read for a reason of ours raises an alarm after ten minutes',
  },
  {
    name: 'held-row-takes-new-id',
    edits: [
      { file: 'src/accounts/poll-statement.ts', find: '  renameRows,\n', replace: '' },
      { file: 'src/accounts/poll-statement.ts', find: '  await renameRows(tx, change.renamed);\n', replace: '' },
    ],
    suite: 'test/exchanges/held.test.ts',
    title:
      'a payment that is held for thirty hours keeps its invoice in progress, and completes it once it is credited',
  },
  {
    name: 'uncredited-is-no-row',
    edits: [
      {
        file: 'src/platforms/kucoin/kucoin-statement.ts',
        find: 'if (units === undefined || !isInternal || isBooked) return undefined;',
        replace: "if (units === undefined || !isInternal || isBooked || deposit.state === 'pending') return undefined;",
      },
    ],
    suite: 'test/exchanges/held.test.ts',
    title:
      'a payment that is held for thirty hours keeps its invoice in progress, and completes it once it is credited',
  },
  {
    name: 'unclear-amount-expires',
    edits: [
      {
        file: 'src/accounts/compare-statement.ts',
        find: "if (row.state !== 'unclear' || row.units === 0n || alike.length > 0) return false;",
        replace: "if (row.state !== 'unclear' || row.units >= 0n || alike.length > 0) return false;",
      },
    ],
    suite: 'test/exchanges/held.test.ts',
    title: 'a credited payment that the ledger does not show keeps its invoice in progress, and operators are told',
  },
  {
    name: 'pending-never-given-up',
    edits: [
      {
        file: 'src/accounts/poll-statement.ts',
        find: "import { giveUpPending } from './plan-pending.ts';\n",
        replace: '',
      },
      {
        file: 'src/accounts/poll-statement.ts',
        find: '    if (read.readsPending) await giveUpPending(tx, follower, account, measuredMs);\n',
        replace: '',
      },
    ],
    suite: 'test/exchanges/held.test.ts',
    title: 'a payment that is not credited for ninety days is given up, and its invoice expires',
  },
  {
    name: 'statement-not-tried',
    edits: [
      {
        file: 'src/wallets/add-exchange-account.ts',
        find: "if (cause instanceof SourceError && cause.kind === 'unsupported') return `refused: ${cause.message}`;",
        replace: "if (cause instanceof SourceError && cause.kind === 'unsupported') return undefined;",
      },
    ],
    suite: 'test/exchanges/keys.test.ts',
    title: 'a key with which its platform shows no statement is not accepted, though the platform describes it as good',
  },
];

import type { Mutant } from '../mutant.ts';
import { lines } from '../mutant.ts';

/** Bugs in reading accounts of networks that are read by address. */
export const ACCOUNTS_MUTANTS: readonly Mutant[] = [
  {
    name: 'demand-starts-late',
    edits: [
      {
        file: 'src/accounts/account-schedule-sql.ts',
        find: "when 'starting' then least(f.start_at, excluded.start_at",
        replace: "when 'starting' then greatest(f.start_at, excluded.start_at",
      },
    ],
    suite: 'test/engine/account-start.test.ts',
    title: 'that is selected twice while no provider shows its beginning starts at the first selection',
  },
  {
    name: 'version-ignored',
    edits: [
      {
        file: 'src/accounts/account-sql.ts',
        find: ".where('version', '=', version)",
        replace: ".where('version', '>=', version * 0n)",
      },
    ],
    suite: 'test/engine/account-reads.test.ts',
    title: 'what one read without a payment does not take it from another that has found and covered it since',
  },
  {
    name: 'cursor-version-ignored',
    edits: [
      {
        file: 'src/accounts/account-sql.ts',
        find: lines(
          'read_by = ${readBy ?? null}, version = version + 1',
          '    where network = ${network} and account = ${account} and version = ${version}',
        ),
        replace: lines(
          'read_by = ${readBy ?? null}, version = version + 1',
          '    where network = ${network} and account = ${account} and version >= ${version}',
        ),
      },
    ],
    suite: 'test/engine/account-reads.test.ts',
    title: 'what one read before another covered the account is not committed by it: a payment that is gone stays gone',
  },
  {
    name: 'quiet-version-ignored',
    edits: [
      {
        file: 'src/accounts/account-sql.ts',
        find: lines(
          'and t.canonical) then f.doubted_at end',
          '      where network = ${network} and account = ${account} and version = ${version}',
        ),
        replace: lines(
          'and t.canonical) then f.doubted_at end',
          '      where network = ${network} and account = ${account} and version >= ${version}',
        ),
      },
    ],
    suite: 'test/engine/account-reads.test.ts',
    title: 'an account at which something was committed since is not covered by what was read before',
  },
  {
    name: 'idle-despite-demand',
    edits: [
      {
        file: 'src/accounts/account-schedule-sql.ts',
        find: 'd.account and f.open_until < ${covered}`.execute',
        replace: 'd.account`.execute',
      },
    ],
    suite: 'test/engine/account-reads.test.ts',
    title: 'an account does not become idle for good when it is selected at that very moment',
  },
  {
    name: 'final-by-one-provider',
    edits: [
      {
        file: 'src/accounts/follow-accounts.ts',
        find: "import { lowerPosition } from './account-read-end.ts';\n",
        replace: '',
      },
      {
        file: 'src/accounts/follow-accounts.ts',
        find: 'finalized: lowerPosition(first.finalized, second.finalized),',
        replace: 'finalized: second ? first.finalized : first.confirmed,',
      },
    ],
    suite: 'test/engine/account-reads.test.ts',
    title: 'nothing is final by the answer of one alone, neither a payment nor the lack of one',
  },
  {
    name: 'covered-past-unreadable',
    edits: [
      {
        file: 'src/accounts/cover-account.ts',
        find: "import { readCoverLimit } from './unreadable-sql.ts';\n",
        replace: '',
      },
      {
        file: 'src/accounts/cover-account.ts',
        find: 'const end = lowerPosition(read.end, coverLimit ?? read.end);',
        replace: 'const { end } = read;',
      },
      {
        file: 'src/accounts/cover-account.ts',
        find: 'lowerPosition(upTo, (await readCoverLimit(tx, network, account, covered.height)) ?? upTo)',
        replace: 'upTo',
      },
    ],
    suite: 'test/engine/account-unreadable.test.ts',
    title: 'waits below it, so that no invoice expires that may have been paid with it; one alarm is raised',
  },
  {
    name: 'account-finder-proves',
    edits: [
      {
        file: 'src/accounts/prove-account.ts',
        find: "return source.providers.length > 1 && first !== undefined ? { not: readBy ?? first } : 'first';",
        replace:
          "return source.providers.length > 1 && first !== undefined ? { not: readBy === '' ? readBy : first } : 'first';",
      },
    ],
    suite: 'test/engine/account-reads.test.ts',
    title: 'a payment that the second one found settles by the answer of the first, and not by its own',
  },
  {
    name: 'hole-takes-back',
    edits: [
      {
        file: 'src/accounts/cover-account.ts',
        find: 'const areAllGone = gone.length === missingFrom(read.transfers, stored).length;',
        replace: 'const areAllGone = gone.length > 0;',
      },
    ],
    suite: 'test/engine/account-reads.test.ts',
    title: 'stays when providers show it by its id, though one beside it is gone for good',
  },
  {
    name: 'moved-is-proven',
    edits: [
      {
        file: 'src/accounts/prove-account.ts',
        find: '=> isAlone || !isElsewhere(one)).map(({ transfer',
        replace: '=> isAlone || one).map(({ transfer',
      },
    ],
    suite: 'test/engine/account-one-word.test.ts',
    title: 'a payment that the prover shows in another block is not proven by that',
  },
  {
    name: 'other-amount-proves',
    edits: [
      {
        file: 'src/accounts/prove-account.ts',
        find: 'payment.blockHash && transfer.units !== payment.units;',
        replace: 'payment.blockHash && transfer.units < 0n;',
      },
    ],
    suite: 'test/engine/account-one-word.test.ts',
    title: 'a payment that the prover shows with another amount in the same block is not proven by that',
  },
  {
    name: 'second-read-believed',
    edits: [
      {
        file: 'src/accounts/cover-account.ts',
        find: 'await requireAgreed(follower, account, { transfers: unconfirmed, by: read.by });',
        replace: 'await requireAgreed(follower, account, { transfers: [], by: read.by });',
      },
    ],
    suite: 'test/engine/account-one-word.test.ts',
    title: 'a payment that only the second provider shows does not complete its invoice',
  },
  {
    name: 'moved-below-coverage',
    edits: [
      {
        file: 'src/accounts/prove-account.ts',
        find: 'const isCovered = transfer !== undefined && transfer.height <= above;',
        replace: 'const isCovered = transfer !== undefined && transfer.height < above - above;',
      },
    ],
    suite: 'test/engine/account-one-liar.test.ts',
    title: 'a payment that one provider puts below coverage, as another than it was, completes nothing',
  },
  {
    name: 'hiccup-covers',
    edits: [
      {
        file: 'src/accounts/cover-account.ts',
        find: lines('readAccountTransfers(follower, { ...request, pass: not }),', '      );'),
        replace: lines(
          'readAccountTransfers(follower, { ...request, pass: not }),',
          '      ).catch(() => ({ answered: false }) as const);',
        ),
      },
    ],
    suite: 'test/engine/account-one-liar.test.ts',
    title: 'a payment that one list lacks does not expire because the other provider did not answer for a moment',
  },
  {
    name: 'parts-by-one',
    edits: [
      {
        file: 'src/accounts/cover-account.ts',
        find: 'if (source.providers.length < 2 || readBy !== undefined) return { request, read, covered };',
        replace: 'if (source.providers.length < 9 || readBy !== undefined) return { request, read, covered };',
      },
    ],
    suite: 'test/engine/account-one-liar.test.ts',
    title: 'a payment that one list lacks does not expire where each provider has read a part first',
  },
  {
    name: 'agreed-whatever-amount',
    edits: [
      {
        file: 'src/accounts/require-agreed.ts',
        find: 'blockHash, units }: AccountTransfer) => `${txId} ${index} ${blockHash} ${units',
        replace: 'blockHash }: AccountTransfer) => `${txId} ${index} ${blockHash',
      },
    ],
    suite: 'test/engine/account-one-liar.test.ts',
    title: 'a payment that one provider reads again with another amount completes nothing',
  },
  {
    name: 'stopped-test-account-proves',
    edits: [
      {
        file: 'src/accounts/account-sql.ts',
        find: 'account} and stopped_at is not null`.execute(',
        replace: "account} and stopped_at = '-infinity'`.execute(",
      },
    ],
    suite: 'test/sandbox/sandbox-api.test.ts',
    title: 'a store that lost a payment settles nothing more on that network until it is back; others go on',
  },
];

import type { Mutant } from '../mutant.ts';

/** Bugs in how a restored database is noticed. */
export const RESTORE_MUTANTS: readonly Mutant[] = [
  {
    name: 'confirmation-of-any-server',
    edits: [
      {
        file: 'src/confirmations/confirmation-sql.ts',
        find: "const IS_HERE = 'c.server_started_at = pg_postmaster_start_time() and c.table_oid = c.tableoid::bigint';",
        replace: "const IS_HERE = 'c.server_started_at is not null and c.table_oid = c.tableoid::bigint';",
      },
    ],
    suite: 'test/engine/database-confirmation.test.ts',
    title: 'takes no confirmation from another run of the server',
  },
  {
    name: 'mark-not-compared',
    edits: [
      {
        file: 'src/confirmations/judge-mark.ts',
        find: 'if (facts.wentBack || own < seen)',
        replace: 'if (facts.wentBack)',
      },
    ],
    suite: 'test/engine/database-confirmation.test.ts',
    title: 'whose mark is ahead of the database stops quoting for all, raises one alarm and keeps its mark',
  },
  {
    name: 'reserved-amounts-unused',
    edits: [
      {
        file: 'src/invoices/decide-selection.ts',
        find: 'amountUnits: facts.amountUnits, share } };',
        replace: "amountUnits: facts.amountUnits, share: 'usual' } };",
      },
    ],
    suite: 'test/engine/restores.test.ts',
    title: 'only reserved amounts are quoted for 48 hours, and usual ones before and afterwards',
  },
  {
    name: 'sessions-survive-a-restore',
    edits: [
      {
        file: 'src/people/shut-out-all-sql.ts',
        find: 'where revoked_at is null and absolute_until > ${at}',
        replace: 'where revoked_at is null and absolute_until < ${at}',
      },
    ],
    suite: 'test/dashboard/after-restore.test.ts',
    title: 'sessions have ended, and a recovery code works only after a sign-in with the authenticator app',
  },
  {
    name: 'recovery-codes-survive-a-restore',
    edits: [
      {
        file: 'src/people/factor-sql.ts',
        find: 'hash = ${hash} and used_at is null and suspended_at is null',
        replace: 'hash = ${hash} and used_at is null',
      },
    ],
    suite: 'test/dashboard/after-restore.test.ts',
    title: 'sessions have ended, and a recovery code works only after a sign-in with the authenticator app',
  },
  {
    name: 'second-restore-quotes',
    edits: [
      {
        file: 'src/confirmations/confirmation-sql.ts',
        find: '      stopped_until = case when reserved_until > statement_timestamp() then ${until} else stopped_until end\n',
        replace: '      stopped_until = stopped_until\n',
      },
    ],
    suite: 'test/engine/restores.test.ts',
    title: 'a second restore while reserved amounts are in use stops quoting',
  },
];

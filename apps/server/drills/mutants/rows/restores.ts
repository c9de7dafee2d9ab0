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
];

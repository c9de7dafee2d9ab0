/** Commands of the guide that `guide.test.ts` does not run itself. */

/** Commands of the command line that need a network, a platform or a mail server, and the tests that run them there. */
export const ELSEWHERE: Readonly<Record<string, string>> = {
  doctor: 'test/doctor/doctor.test.ts',
  'inbox attach': 'test/engine/attach.test.ts',
  'invoice recheck': 'test/engine/recheck.test.ts',
  'invoice end': 'test/engine/stuck.test.ts',
  'chain rescan': 'test/engine/rescan.test.ts',
  'chain unfreeze': 'test/engine/frozen.test.ts',
  'chain retire': 'test/engine/stuck.test.ts',
  'transfer name': 'test/engine/named.test.ts',
  'transfer show': 'test/engine/stuck.test.ts',
  'transfer accept': 'test/engine/stuck.test.ts',
  'transfer discard': 'test/engine/stuck.test.ts',
  'exchange add': 'test/exchanges/commands.test.ts',
  'exchange check': 'test/exchanges/commands.test.ts',
  'exchange rescan': 'test/exchanges/commands.test.ts',
  'exchange stop': 'test/exchanges/commands.test.ts',
  'exchange start': 'test/exchanges/commands.test.ts',
  'exchange remove': 'test/exchanges/commands.test.ts',
  'mail test': 'test/mail/mail-worker.test.ts',
  'audit head': 'src/commands/audit-commands.test.ts',
  'audit begin': 'src/commands/audit-commands.test.ts',
};

/** Other lines of the guide: the file of this repository that runs the line, or why nothing does. */
export const OTHER_LINES: Readonly<Record<string, { by: string } | { because: string }>> = {
  'COUNTERFOIL_DATABASE_URL=postgresql://postgres@db/counterfoil node apps/server/src/main-migrate.ts --roles': {
    by: 'apps/server/src/db/apply-roles.test.ts',
  },
};

import type { Mutant } from '../mutant.ts';
import { lines } from '../mutant.ts';

/** Bugs in the sandbox. */
export const SANDBOX_MUTANTS: readonly Mutant[] = [
  {
    name: 'advance-keeps-coverage',
    edits: [
      {
        file: 'src/sandbox/advance-invoice.ts',
        find: 'const before = { height: EVERY_HEIGHT, time: Math.floor(newEndMs / SECOND_MS) - 1 };',
        replace:
          'const before = { height: EVERY_HEIGHT, time: Math.max(Math.floor(newEndMs / SECOND_MS) - 1, Math.floor(at.getTime() / SECOND_MS)) };',
      },
    ],
    suite: 'test/sandbox/engine.test.ts',
    title: 'an invoice whose payment no reader has seen does not expire by being advanced past its end',
  },
  {
    name: 'heights-not-reserved',
    edits: [
      {
        file: 'src/sandbox/sandbox-transfer-sql.ts',
        find: '= greatest(a.height, excluded.height)`.execute',
        replace: '= a.height`.execute',
      },
    ],
    suite: 'test/sandbox/engine.test.ts',
    title: 'a payment in the very millisecond up to which an account was read is not missed',
  },
  {
    name: 'outage-of-everybody',
    edits: [
      {
        file: 'src/sandbox/sandbox-transfer-sql.ts',
        find: 'network} and w.address = ${account} and f.outage_until',
        replace: 'network} and w.address <> ${account + account} and f.outage_until',
      },
    ],
    suite: 'test/sandbox/sandbox-api.test.ts',
    title: 'an outage of one store hides nothing of another on the same network',
  },
  {
    name: 'slow-for-ever',
    edits: [
      {
        file: 'src/sandbox/sandbox-source.ts',
        find: 'row.height <= clock.nowMs() - LONGEST_SLOW_MS })',
        replace: 'row.height <= LONGEST_SLOW_MS - clock.nowMs() })',
      },
    ],
    suite: 'test/sandbox/engine.test.ts',
    title:
      'a slow payment that nobody confirms is final after ten minutes, so that other invoices at its address can expire',
  },
  {
    name: 'stop-made-final',
    edits: [
      {
        file: 'src/sandbox/request-acts.ts',
        find: 'const planned = plan.filter(({ act }) => isMending(act) === mending).length;',
        replace: "const planned = plan.filter(({ act }) => (isMending(act) && act.kind === 'pay') === mending).length;",
      },
    ],
    suite: 'test/sandbox/sandbox-api.test.ts',
    title: 'an invoice takes fifty acts, and beyond them only those that confirm a payment or put it back',
  },
  {
    name: 'acts-counted-unlocked',
    edits: [
      {
        file: 'src/sandbox/request-acts.ts',
        find: 'const { invoice, plan, onlyFirst } = asked;',
        replace: lines('const { invoice, plan, onlyFirst } = asked;', '  await requireRoom(tx, asked);'),
      },
      { file: 'src/sandbox/request-acts.ts', find: '  await requireRoom(tx, asked);\n', replace: '' },
    ],
    suite: 'test/sandbox/acts.test.ts',
    title: 'requests at the same moment cannot together exceed the acts of one invoice',
  },
  {
    name: 'advance-ends-quarantine',
    edits: [{ file: 'src/sandbox/test-invoice-sql.ts', find: '        and a.quote_id = q.id\n', replace: '' }],
    suite: 'test/sandbox/same-amount.test.ts',
    title: 'time that passes for an invoice ends no quarantine of a later invoice that had the same amount',
  },
  {
    name: 'confirmed-is-never-gone',
    edits: [
      {
        file: 'src/sandbox/sandbox-source.ts',
        find: "if (!row || row.gone) return { txId, outcome: 'absent' };",
        replace: "if (!row || (row.gone && !row.final)) return { txId, outcome: 'absent' };",
      },
    ],
    suite: 'test/sandbox/acts.test.ts',
    title: 'a slow payment that is confirmed and taken back before a reader looks pays nothing',
  },
  {
    name: 'lost-behind-newer',
    edits: [
      {
        file: 'src/sandbox/sandbox-transfer-sql.ts',
        find: 'gone) order by gone desc, id desc limit 1`.execute',
        replace: 'gone) order by id desc limit 1`.execute',
      },
    ],
    suite: 'test/sandbox/acts.test.ts',
    title: 'a lost payment can be put back although its invoice was paid again',
  },
  {
    name: 'timed-out-act-lost',
    edits: [
      {
        file: 'src/sandbox/perform-acts.ts',
        find: "if (timedOut && act.tries + 1 < MAX_TRIES) return 'later';",
        replace: "if (timedOut && act.tries + 1 > MAX_TRIES) return 'later';",
      },
    ],
    suite: 'test/sandbox/acts.test.ts',
    title: 'an act that waited too long for a lock is performed later, and before the acts behind it',
  },
  {
    name: 'idle-mending-counts',
    edits: [
      {
        file: 'src/sandbox/act-sql.ts',
        find: 'and not (${mending}::boolean and ${DID_NOTHING}) limit ${limit}) a`.execute(queries);',
        replace: 'and not (not ${mending}::boolean and ${DID_NOTHING}) limit ${limit}) a`.execute(queries);',
      },
    ],
    suite: 'test/sandbox/acts.test.ts',
    title: 'acts that mended nothing do not count',
  },
  {
    name: 'test-payments-burst',
    edits: [
      {
        file: 'src/sandbox/play-scenario.ts',
        find: 'if (rate.exceeded) {',
        replace: "if (['sustained'].includes(rate.exceeded ?? '')) {",
      },
    ],
    suite: 'test/dashboard/test-payments.test.ts',
    title: 'is one of twenty requests of its store in a second',
  },
];

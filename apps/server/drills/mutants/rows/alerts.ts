import type { Mutant } from '../mutant.ts';

/** Bugs in alerts to the operator. */
export const ALERT_MUTANTS: readonly Mutant[] = [
  {
    name: 'alert-claim-short',
    edits: [
      {
        file: 'src/alerts/send-alert.ts',
        find: 'const CLAIM_MS = 120_000;',
        replace: 'const CLAIM_MS = 20_000;',
      },
    ],
    suite: 'src/alerts/send-alert.test.ts',
    title: 'leaves an alert to the worker that is sending it, for longer than an attempt may take',
  },
  {
    name: 'alerts-after-a-fast-clock',
    edits: [
      {
        file: 'src/alerts/alert-sql.ts',
        find: "a.phase = 'raised' and a.hour = ${hour}",
        replace: "a.phase = 'raised' and a.hour >= ${hour}",
      },
    ],
    suite: 'src/alerts/send-alert.test.ts',
    title: 'reports an alarm also when the clock was a day ahead at the alert before',
  },
  {
    name: 'alerts-decided-together',
    edits: [
      {
        file: 'src/alerts/alert-sql.ts',
        find: 'return rows[0]?.mayDecide === true;',
        replace: 'return rows.length > 0;',
      },
    ],
    suite: 'src/alerts/send-alert.test.ts',
    title: 'decide one at a time: while another one decides, a worker stores nothing and does not fail',
  },
  {
    name: 'finding-over-daily',
    edits: [{ file: 'src/doctor/raise-findings.ts', find: '23 * 3_600_000', replace: '25 * 3_600_000' }],
    suite: 'test/alert-states.test.ts',
    title: 'is not over while the doctor finds the same every hour, by a timer that is minutes early or late',
  },
];

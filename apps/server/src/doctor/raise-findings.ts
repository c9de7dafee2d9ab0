import { raiseRarely } from '../audit/raise-alarms.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Finding } from './finding.ts';
import { reasonOf, wrong } from './finding.ts';

/** A little less than a day: a timer that is minutes early still raises it daily. */
const QUIET_MS = 23 * 3_600_000;
/** Most findings listed per check. */
const MOST_NAMED = 20;

type RaisingContext = { database: Context['database'] | undefined; clock: Context['clock'] };

/** Raises an alarm per failed check, once a day; returns a finding when that fails. */
export async function raiseFindings(
  { database, clock }: RaisingContext,
  findings: readonly Finding[],
): Promise<Finding[]> {
  const found = Map.groupBy(
    findings.filter(({ state }) => state === 'wrong'),
    ({ check }) => check,
  );
  if (found.size === 0 || database === undefined) return [];
  try {
    await inTransaction(database, async (tx) => {
      for (const [subject, every] of found) {
        const named = every.slice(0, MOST_NAMED).map(({ says, mend }) => ({ says, mend }));
        const alarm = { kind: 'doctor-found', subject, details: { findings: named } } as const;
        await raiseRarely(tx, new Date(clock.nowMs()), alarm, QUIET_MS);
      }
    });
    return [];
  } catch (cause) {
    return [wrong('alarm', `No alarm could be raised: ${reasonOf(cause)}`, 'Fix what is said of the database first.')];
  }
}

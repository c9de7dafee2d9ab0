import type { Context } from '../db/context.ts';
import { raiseAlarms } from '../audit/raise-alarms.ts';
import { inTransaction } from '../db/transaction.ts';
import { lockClockAlarm, readHeadFacts } from './clock-sql.ts';
import type { ClockVerdict } from './judge-clock.ts';
import { judgeClock } from './judge-clock.ts';

/** Well below the alarm's limit, or the alarm would come and go. */
const RIGHT_AGAIN_SECONDS = 30;

const SUBJECT = 'clock';

/** Raises one alarm when our clock is wrong, and one when it is right again. Quotes are refused in between. */
export async function checkClock({ database, clock }: Context): Promise<ClockVerdict> {
  const heads = await readHeadFacts(database.queries);
  const verdict = judgeClock(heads, clock);
  const calm = judgeClock(heads, clock, RIGHT_AGAIN_SECONDS);
  // The last verdict stays while no network answers, or between both limits.
  if (verdict.right && !(calm.right && calm.heard > 0)) return verdict;
  await inTransaction(database, async (tx) => {
    const raised = await lockClockAlarm(tx);
    if (raised !== verdict.right) return;
    const { right, ...details } = verdict;
    await raiseAlarms(tx, new Date(clock.nowMs()), [
      { kind: right ? 'clock-right' : 'clock-wrong', subject: SUBJECT, details: right ? {} : details },
    ]);
  });
  return verdict;
}

import { raiseAlarms } from '../audit/raise-alarms.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { lockClockAlarm, readHeadFacts } from './clock-sql.ts';
import type { ClockVerdict } from './judge-clock.ts';
import { judgeClock } from './judge-clock.ts';

/** A clock near the limit would raise and take back the alarm with every block: it must come well within it. */
const RIGHT_AGAIN_SECONDS = 30;

const SUBJECT = 'clock';

/** Tells an operator once that our clock is wrong, and once that it is right again. Quotes are refused meanwhile. */
export async function checkClock(database: Database, clock: Clock): Promise<ClockVerdict> {
  const heads = await readHeadFacts(database.queries);
  const verdict = judgeClock(heads, clock);
  const calm = judgeClock(heads, clock, RIGHT_AGAIN_SECONDS);
  // Without any network that answers nothing is known, and what was said stands.
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

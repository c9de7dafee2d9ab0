import { raiseRarely } from '../audit/raise-alarms.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import { findSpraying, SPRAYING_MINUTES } from './security-event.ts';
import { listRefusedSignIns } from './security-event-sql.ts';

const MINUTE_MS = 60_000;
/** How many refused sign-ins are looked at: far more than an alarm needs. */
const MAX_REFUSED = 10_000;
/** One alarm is enough for a morning: strangers can cause it. */
const QUIET_MS = 6 * 60 * MINUTE_MS;

/** Raises an alarm when sign-ins are refused for so many users that somebody seems to try one password for all of them. */
export async function watchSignIns({ database, clock }: Context): Promise<void> {
  const at = new Date(clock.nowMs());
  await inTransaction(database, async (tx) => {
    const since = new Date(at.getTime() - SPRAYING_MINUTES * MINUTE_MS);
    const details = findSpraying(await listRefusedSignIns(tx, since, MAX_REFUSED));
    if (details) await raiseRarely(tx, at, { kind: 'password-spraying', subject: 'sign-in', details }, QUIET_MS);
  });
}

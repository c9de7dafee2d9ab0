import { MINUTE_MS } from '@counterfoil/core/duration.ts';
import { raiseRarely } from '../audit/raise-alarms.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import { findSpraying, SPRAYING_MINUTES } from './security-event.ts';
import { listRefusedSignIns } from './security-event-sql.ts';

/** Most refused sign-ins that are read: far more than an alarm needs. */
const MAX_REFUSED = 10_000;
/** Bounds the alarms, because strangers can cause them. */
const QUIET_MS = 6 * 60 * MINUTE_MS;

/** Raises an alarm when refused sign-ins suggest that one password is attempted for many users. */
export async function watchSignIns({ database, clock }: Context): Promise<void> {
  const at = new Date(clock.nowMs());
  await inTransaction(database, async (tx) => {
    const since = new Date(at.getTime() - SPRAYING_MINUTES * MINUTE_MS);
    const details = findSpraying(await listRefusedSignIns(tx, since, MAX_REFUSED));
    if (details) await raiseRarely(tx, at, { kind: 'password-spraying', subject: 'sign-in', details }, QUIET_MS);
  });
}

import { DAY_MS } from '@counterfoil/core/duration.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import { deleteOldAddressChanges } from './address-change-sql.ts';
import { deleteOldBudgets } from './attempt-sql.ts';
import { devicesSince } from './device.ts';
import { deleteOldDevices } from './device-sql.ts';
import { deleteOldEarlier } from './earlier-credentials-sql.ts';
import { deleteOldLinks } from './link-sql.ts';
import { deleteOldChallenges } from './passkey-sql.ts';
import { deleteEndedSessions } from './session-sql.ts';
import { deleteOldSignUps } from './sign-up-sql.ts';

const BATCH = 500;
/** An ended session is kept for sign-in history. */
const KEPT_DAYS = 30;

/** Deletes one batch of each kind of expired row. */
export async function forgetSessions({ database, clock }: Context): Promise<void> {
  const before = new Date(clock.nowMs() - KEPT_DAYS * DAY_MS);
  await inTransaction(database, (tx) => deleteEndedSessions(tx, before, BATCH));
  await deleteOldBudgets(database.queries, BATCH);
  await deleteOldChallenges(database.queries, new Date(clock.nowMs()), BATCH);
  await deleteOldDevices(database.queries, devicesSince(clock.nowMs()), BATCH);
  await deleteOldEarlier(database.queries, new Date(clock.nowMs()), BATCH);
  await deleteOldLinks(database.queries, before, BATCH);
  await deleteOldSignUps(database.queries, new Date(clock.nowMs()), BATCH);
  await deleteOldAddressChanges(database.queries, before, BATCH);
}

import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { inTransaction } from '../db/transaction.ts';
import { requireFactor } from './attempt.ts';
import { giveBackAttempts } from './attempt-sql.ts';
import { hasRecoveryCode, saveCodesConfirmed } from './factor-sql.ts';
import { lockActor } from './lock-actor.ts';
import type { PeopleContext } from './people-context.ts';
import { hashRecoveryCode } from './recovery-code.ts';
import { requireElevated } from './require-elevated.ts';

/** Confirms by one of the codes that a user has saved them. The code stays valid. */
export async function confirmRecoveryCodes(context: PeopleContext, actor: Person, written: string): Promise<void> {
  requireElevated(actor);
  const { database } = context;
  const { id: personId } = actor;
  // A code proves two-factor elsewhere, so a guess is counted as there.
  const reserved = await requireFactor(context, actor, { personId, signsIn: false });
  const hash = hashRecoveryCode(personId, written);
  await inTransaction(database, async (tx) => {
    await lockActor(tx, actor);
    if (!hash || !(await hasRecoveryCode(tx, personId, hash))) throw new Refusal('FACTOR_WRONG');
    await saveCodesConfirmed(tx, personId, true);
  });
  await giveBackAttempts(database.queries, reserved);
}

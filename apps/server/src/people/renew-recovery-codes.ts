import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { hashRecoveryCodes } from './confirm-totp.ts';
import { replaceRecoveryCodes } from './factor-sql.ts';
import { readPerson } from './person-sql.ts';
import { drawRecoveryCodes } from './recovery-code.ts';
import { requireElevated } from './require-elevated.ts';
import { insertSecurityEvent } from './security-event-sql.ts';

/** Draws new recovery codes, which are shown this once; the old ones are worth nothing from then on. */
export async function renewRecoveryCodes({ database, clock }: Context, actor: Person): Promise<string[]> {
  requireElevated(actor);
  const { id: personId, address, agent } = actor;
  const codes = drawRecoveryCodes();
  await inTransaction(database, async (tx) => {
    // Without a second factor there is nothing that a recovery code could stand for.
    if (!(await readPerson(tx, personId)).hasFactor) throw new Refusal('FACTOR_NEEDED');
    await replaceRecoveryCodes(tx, personId, hashRecoveryCodes(personId, codes));
    await insertSecurityEvent(tx, { kind: 'recovery-codes-drawn', personId, address, agent }, new Date(clock.nowMs()));
  });
  return codes;
}

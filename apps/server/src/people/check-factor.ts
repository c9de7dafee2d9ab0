import { inTransaction } from '../db/transaction.ts';
import { openSecret } from '../secrets/open-secret.ts';
import { readTotp, resumeRecoveryCodes, takeRecoveryCode, takeTotpStep } from './factor-sql.ts';
import { mailPerson } from './mail-person.ts';
import type { PeopleContext } from './people-context.ts';
import { totpPurpose } from './person.ts';
import { hashRecoveryCode } from './recovery-code.ts';
import { findTotpStep } from './totp.ts';

export type TypedFactor = { totp: string } | { recovery: string };

async function checkTotp(context: PeopleContext, personId: bigint, code: string): Promise<boolean> {
  const { database, clock, ring } = context;
  const stored = await readTotp(database.queries, personId);
  if (!stored || stored.secretId === null) return false;
  const secret = await openSecret(database.queries, ring, stored.secretId, totpPurpose(personId));
  const { secretId, lastStep } = stored;
  const step = findTotpStep(secret, code, clock.nowMs(), lastStep);
  if (step !== undefined && (await takeTotpStep(database.queries, personId, { secretId, step }))) {
    await resumeRecoveryCodes(database.queries, personId);
    return true;
  }
  const isUsed = step !== undefined || findTotpStep(secret, code, clock.nowMs(), 0n) !== undefined;
  if (isUsed) await notifyUsedCode(context, personId);
  return false;
}

/** Notifies a user of a correct code that was used before: someone may have seen it being typed. */
async function notifyUsedCode(context: PeopleContext, personId: bigint): Promise<void> {
  const data = { at: String(context.clock.nowMs()) };
  await inTransaction(context.database, (tx) =>
    mailPerson(tx, context, { personId, template: 'two-factor-code-used-again', data }),
  );
}

/** Checks and uses up a typed code: two requests cannot share one. The caller has counted the attempt. */
export async function checkFactor(context: PeopleContext, personId: bigint, typed: TypedFactor): Promise<boolean> {
  if ('totp' in typed) return checkTotp(context, personId, typed.totp);
  const hash = hashRecoveryCode(personId, typed.recovery);
  const at = new Date(context.clock.nowMs());
  return hash !== undefined && takeRecoveryCode(context.database.queries, personId, hash, at);
}

import { openSecret } from '../secrets/open-secret.ts';
import { readTotp, takeRecoveryCode, takeTotpStep } from './factor-sql.ts';
import type { PeopleContext } from './people-context.ts';
import { totpPurpose } from './person.ts';
import { hashRecoveryCode } from './recovery-code.ts';
import { findTotpStep } from './totp.ts';

/** Second factors that a person can type. A factor is used up by being right. */

export type TypedFactor = { totp: string } | { recovery: string };

async function checkTotp({ database, clock, ring }: PeopleContext, personId: bigint, code: string): Promise<boolean> {
  const stored = await readTotp(database.queries, personId);
  if (!stored || stored.secretId === null) return false;
  const secret = await openSecret(database.queries, ring, stored.secretId, totpPurpose(personId));
  const step = findTotpStep(secret, code, clock.nowMs(), stored.lastStep);
  return step !== undefined && takeTotpStep(database.queries, personId, { secretId: stored.secretId, step });
}

/**
 * Whether a typed factor is right; if it is, it is used up. Two requests with the same code: one of them is wrong. The
 * caller has counted the guess.
 */
export async function checkFactor(context: PeopleContext, personId: bigint, typed: TypedFactor): Promise<boolean> {
  if ('totp' in typed) return checkTotp(context, personId, typed.totp);
  const hash = hashRecoveryCode(personId, typed.recovery);
  const at = new Date(context.clock.nowMs());
  return hash !== undefined && takeRecoveryCode(context.database.queries, personId, hash, at);
}

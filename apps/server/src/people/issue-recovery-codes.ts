import type { Tx } from '../db/transaction.ts';
import { countRecoveryCodes, replaceRecoveryCodes, saveCodesConfirmed } from './factor-sql.ts';
import { drawRecoveryCodes, hashRecoveryCode } from './recovery-code.ts';

function hashRecoveryCodes(personId: bigint, codes: readonly string[]): Buffer[] {
  return codes.map((code) => {
    const hash = hashRecoveryCode(personId, code);
    if (!hash) throw new Error('A recovery code has an unknown form.');
    return hash;
  });
}

/** Replaces a user's recovery codes. The user must confirm having saved them. */
export async function issueRecoveryCodes(tx: Tx, personId: bigint): Promise<string[]> {
  const codes = drawRecoveryCodes();
  await replaceRecoveryCodes(tx, personId, hashRecoveryCodes(personId, codes));
  await saveCodesConfirmed(tx, personId, false);
  return codes;
}

/** Issues recovery codes with the first two-factor method, and with a later one if none are left. */
export async function issueFirstCodes(tx: Tx, personId: bigint): Promise<string[]> {
  return (await countRecoveryCodes(tx, personId)) > 0 ? [] : issueRecoveryCodes(tx, personId);
}

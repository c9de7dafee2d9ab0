import type { Tx } from '../db/transaction.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireMailAddress } from '../mail/mail-address.ts';
import type { MailData } from '../mail/mail.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { sealValue } from '../secrets/seal-secret.ts';
import { findOldestAddress } from './address-change-sql.ts';
import type { CredentialKind } from './earlier-credentials.ts';
import { changedSince, credentialsPurpose, keptUntil, MAX_KEPT } from './earlier-credentials.ts';
import { countEarlier, insertEarlier, readCredentials } from './earlier-credentials-sql.ts';

type KeepInput = {
  personId: bigint;
  changed: CredentialKind;
  /** Whether they are kept even when the person has changed them too often: for changes that others request. */
  always?: boolean;
};

const MINUTE_MS = 60_000;

/**
 * Keeps the credentials of a person before they are changed, in the caller's transaction, which holds the person's lock.
 * Returns data for the email about the change: with it the email has an undo link. The email has none if the person got
 * the present address in the last seven days, because a thief who changed the address must not be able to undo anything.
 */
export async function keepEarlier(
  tx: Tx,
  ring: KeyRing,
  { personId, changed, always = false }: KeepInput,
  at: Date,
): Promise<MailData> {
  const credentials = await readCredentials(tx, personId);
  // A person who sets their first password has nothing to go back to.
  if (credentials.password === null && credentials.passkeys.length === 0) return {};
  const { kept, until } = await countEarlier(tx, personId, at);
  if (kept >= MAX_KEPT && !always) {
    const minutes = Math.ceil(((until ?? at).getTime() - at.getTime()) / MINUTE_MS);
    throw new Refusal('TOO_MANY_ATTEMPTS', { minutes });
  }
  const value = await sealValue(tx, ring, credentialsPurpose(personId, at), JSON.stringify(credentials));
  const id = await insertEarlier(tx, { personId, changed, value, keptAt: at, expiresAt: keptUntil(at) });
  const oldest = await findOldestAddress(tx, personId, changedSince(at));
  const isOldest = oldest === undefined || requireMailAddress(oldest).normal === credentials.mail.normal;
  return isOldest ? { earlier: String(id) } : {};
}

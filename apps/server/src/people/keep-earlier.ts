import { MINUTE_MS } from '@counterfoil/core/duration.ts';
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
  /** Keeps them even beyond the limit of changes: for changes that others request. */
  always?: boolean;
};

/**
 * Keeps a person's credentials before a change; the caller holds the person's lock. Returns data for the email's undo
 * link, or none if the address is less than seven days old: a thief who changed it must not be able to undo anything.
 */
export async function keepEarlier(
  tx: Tx,
  ring: KeyRing,
  { personId, changed, always = false }: KeepInput,
  at: Date,
): Promise<MailData> {
  const credentials = await readCredentials(tx, personId);
  // A first password has no earlier credentials to restore.
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

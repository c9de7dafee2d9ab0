import { isRefusal } from '../db/database.ts';
import type { Tx } from '../db/transaction.ts';
import type { Origin } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { forgetReplacedAddresses } from '../people/address-change-sql.ts';
import type { UsedMethod } from '../people/earlier-credentials.ts';
import { useMethod, withLaterUses } from '../people/earlier-credentials.ts';
import { endEarlierFrom, readCredentials, writeCredentials } from '../people/earlier-credentials-sql.ts';
import { stopReset } from '../people/factor-reset-sql.ts';
import { endLinks } from '../people/link-sql.ts';
import { notifyLostFactor } from '../people/notify-lost-factor.ts';
import { insertSecurityEvent } from '../people/security-event-sql.ts';
import { revokeSessionsOf } from '../people/session-sql.ts';
import { endAddressChange, endInvitationsBy } from '../people/shut-out-sql.ts';
import { mailAddresses } from './mail-addresses.ts';
import type { OpenedState } from './open-states.ts';

/** No two users have the same email address. */
const ONE_PERSON = 'people_mail_normal_key';

type RestoreInput = {
  personId: bigint;
  states: readonly OpenedState[];
  target: bigint;
  used?: UsedMethod;
  origin: Origin;
};

/**
 * Restores earlier credentials; the caller holds the person's lock. Everything later ends: sessions, known browsers,
 * links, invitations, a pending address change and a pending reset.
 */
export async function applyRestore(
  tx: Tx,
  context: MailContext,
  { personId, states, target: targetId, used, origin: { address, agent } }: RestoreInput,
  at: Date,
): Promise<void> {
  const target = states.find(({ id }) => id === targetId);
  if (!target) throw new Refusal('LINK_INVALID');
  const present = await readCredentials(tx, personId);
  const later = states.filter(({ id }) => id > targetId).map(({ credentials }) => credentials);
  const earlier = withLaterUses(target.credentials, [...later, present]);
  const restored = used ? useMethod(earlier, used) : earlier;
  if (!restored) throw new Refusal('FACTOR_WRONG');
  await writeCredentials(tx, personId, restored);
  if (present.totp || present.passkeys.length > 0) await notifyLostFactor(tx, context, { personId }, at);
  await endEarlierFrom(tx, personId, targetId, at);
  await forgetReplacedAddresses(tx, personId, target.keptAt);
  await endLinks(tx, personId, at);
  await endAddressChange(tx, personId, at);
  await endInvitationsBy(tx, personId, at);
  await stopReset(tx, personId, at);
  await revokeSessionsOf(tx, personId, null, at);
  await insertSecurityEvent(tx, { kind: 'credentials-restored', personId, address, agent }, at);
  const addresses = [restored.mail.shown, present.mail.shown];
  const data = { at: String(at.getTime()) };
  await mailAddresses(tx, context, { personId, addresses, template: 'account-restored', data });
}

/** Refuses to restore an email address that another account has taken since. */
export async function orAddressTaken<Result>(restoring: Promise<Result>): Promise<Result> {
  try {
    return await restoring;
  } catch (cause) {
    throw isRefusal(cause, ONE_PERSON) ? new Refusal('ADDRESS_TAKEN') : cause;
  }
}

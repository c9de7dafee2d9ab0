import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Operator } from '../lib/actor.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { holdMethods } from '../merchants/merchant-sql.ts';
import { cancelRequests, recordCancelledRequests } from './cancel-requests.ts';
import { stopReset } from './factor-reset-sql.ts';
import { mailPerson } from './mail-person.ts';
import { lockPerson } from './person-sql.ts';
import { listMerchantsOf } from './requested-change-sql.ts';
import { requirePerson } from './require-person.ts';
import { stopOpenRestore } from './restore-sql.ts';
import { endAddressChange, endAllLinks, endInvitationsBy, endSessionsOf, savePersonDisabled } from './shut-out-sql.ts';

type DisabledPerson = {
  person: string;
  isNew: boolean;
  sessions: number;
  links: number;
  invitations: readonly string[];
  changes: readonly string[];
};

/** Disables a person and permanently ends everything pending; a second call ends what was added since. */
export async function disablePerson(
  context: MailContext,
  actor: Operator,
  { person: named, reason }: { person: string; reason: string },
): Promise<DisabledPerson> {
  const { database, clock } = context;
  return inTransaction(database, async (tx) => {
    const { id: personId, code: person } = await requirePerson(tx, named);
    for (const merchantAccountId of await listMerchantsOf(tx, person)) await holdMethods(tx, merchantAccountId);
    await lockPerson(tx, personId);
    const at = new Date(clock.nowMs());
    const isNew = await savePersonDisabled(tx, personId, at);
    const sessions = await endSessionsOf(tx, { personId }, at);
    const links = await endAllLinks(tx, personId, at);
    const invitations = await endInvitationsBy(tx, personId, at);
    await endAddressChange(tx, personId, at);
    // The links that could stop a two-factor reset end too, so the reset must not outlive them.
    await stopReset(tx, personId, at);
    await stopOpenRestore(tx, personId, at);
    const cancelled = await cancelRequests(tx, context, actor, { personCode: person });
    const changes = cancelled.map(({ change }) => change);
    const outcome = { person, isNew, sessions, links, invitations, changes };
    const data = { at: String(at.getTime()) };
    if (isNew) await mailPerson(tx, context, { personId, template: 'account-disabled', data });
    if (!isNew && sessions + links + invitations.length + changes.length === 0) return outcome;
    await recordCancelledRequests(tx, clock, actor, { cancelled, because: 'requester-disabled' });
    await recordAudit(tx, clock, actor, {
      action: 'person.disable',
      subject: `person:${person}`,
      details: { reason, sessions, links, invitations, changes },
    });
    return outcome;
  });
}

import { recordAudit } from '../audit/record-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireLink } from '../people/attempt.ts';
import { useLink } from '../people/link-sql.ts';
import type { PeopleContext } from '../people/people-context.ts';
import { hashLinkToken } from '../people/person.ts';
import { readPerson } from '../people/person-sql.ts';
import { stopRestoreById } from '../people/restore-sql.ts';
import { insertSecurityEvent } from '../people/security-event-sql.ts';
import { mailAddresses } from './mail-addresses.ts';
import { openStates } from './open-states.ts';

/** Stops a pending restore by the link of its email, without sign-in. */
export async function stopRestore(context: PeopleContext, actor: Visitor, token: string): Promise<void> {
  const { database, clock, ring } = context;
  const { address, agent } = actor;
  await requireLink(database.queries, address, token);
  const hash = hashLinkToken(token);
  if (!hash) throw new Refusal('LINK_INVALID');
  await inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const { personId = null, restoreId = null } = (await useLink(tx, hash, 'stop-restore', at)) ?? {};
    if (personId === null || restoreId === null || !(await stopRestoreById(tx, restoreId, at)))
      throw new Refusal('LINK_INVALID');
    await insertSecurityEvent(tx, { kind: 'restore-stopped', personId, address, agent }, at);
    const { code, mail } = await readPerson(tx, personId);
    const states = await openStates(tx, ring, personId, at);
    const addresses = [mail, ...states.map(({ credentials }) => credentials.mail.shown)];
    const data = { at: String(at.getTime()) };
    await mailAddresses(tx, context, { personId, addresses, template: 'restore-stopped', data });
    await recordAudit(tx, clock, actor, {
      action: 'person.restore_stop',
      subject: `person:${code}`,
      details: { address },
    });
  });
}

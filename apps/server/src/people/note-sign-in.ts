import type { Tx } from '../db/transaction.ts';
import type { Origin } from '../lib/actor.ts';
import type { Outbox } from '../mail/queue-mail.ts';
import { mailPerson } from './mail-person.ts';
import { isKnownBrowser, keptSince } from './security-event.ts';
import { insertSecurityEvent, listSignInOrigins } from './security-event-sql.ts';

const MAX_EARLIER = 1_000;

type SignInNote = { personId: bigint; kind: 'sign-in' | 'recovery-code-used'; origin: Origin };

/**
 * Records a completed sign-in in the transaction of its session. Emails the user about an unknown browser, except at
 * the first sign-in ever, and about a used recovery code.
 */
export async function noteSignIn(
  tx: Tx,
  outbox: Outbox,
  { personId, kind, origin: { address, agent } }: SignInNote,
  at: Date,
): Promise<void> {
  const earlier = await listSignInOrigins(tx, personId, { since: keptSince(at), limit: MAX_EARLIER });
  await insertSecurityEvent(tx, { kind, personId, address, agent }, at);
  const data = { at: String(at.getTime()) };
  if (kind === 'recovery-code-used') await mailPerson(tx, outbox, { personId, template: kind, data });
  if (earlier.length > 0 && !isKnownBrowser(earlier, { address, agent }))
    await mailPerson(tx, outbox, { personId, template: 'new-sign-in', data });
}

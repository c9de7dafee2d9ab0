import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Visitor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { requireLink } from './attempt.ts';
import { stopResetById } from './factor-reset-sql.ts';
import { useLink } from './link-sql.ts';
import { hashLinkToken } from './person.ts';
import { insertSecurityEvent } from './security-event-sql.ts';

/** Stops a two-factor reset by the link of its email. It only protects, so no sign-in is required. */
export async function keepFactors({ database, clock }: Context, actor: Visitor, token: string): Promise<void> {
  const { address, agent } = actor;
  await requireLink(database.queries, address, token);
  const hash = hashLinkToken(token);
  if (!hash) throw new Refusal('LINK_INVALID');
  await inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    const resetId = (await useLink(tx, hash, 'keep-factors', at))?.factorResetId ?? null;
    const personId = resetId === null ? undefined : await stopResetById(tx, resetId, at);
    if (personId === undefined) throw new Refusal('LINK_INVALID');
    await insertSecurityEvent(tx, { kind: 'factors-kept', personId, address, agent }, at);
  });
}

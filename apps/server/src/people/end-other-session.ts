import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { insertSecurityEvent } from './security-event-sql.ts';
import { revokeSessionByCode } from './session-sql.ts';

export async function endOtherSession({ database, clock }: Context, actor: Person, code: string): Promise<void> {
  const { id: personId, address, agent } = actor;
  await inTransaction(database, async (tx) => {
    const at = new Date(clock.nowMs());
    if (!(await revokeSessionByCode(tx, personId, code, at))) throw new Refusal('SESSION_UNKNOWN');
    await insertSecurityEvent(tx, { kind: 'session-revoked', personId, address, agent }, at);
  });
}

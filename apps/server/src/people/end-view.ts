import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { endViewByCode } from './operator-view-sql.ts';
import { requireOperator } from './require-operator.ts';

export async function endView({ database, clock }: Context, actor: Person, view: string): Promise<void> {
  requireOperator(actor, 'look');
  await inTransaction(database, async (tx) => {
    const merchantAccountId = await endViewByCode(tx, actor.id, view, new Date(clock.nowMs()));
    if (merchantAccountId === undefined) throw new Refusal('VIEW_UNKNOWN', { view });
    await recordAudit(tx, clock, actor, {
      action: 'merchant.look_end',
      subject: `merchant:${merchantAccountId}`,
      details: { view },
    });
  });
}

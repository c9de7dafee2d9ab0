import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { drawShard, SHARDS } from './merchant.ts';
import type { LiveApproval } from './own-merchant.ts';
import { MAX_OWN_MERCHANTS } from './own-merchant.ts';
import { insertOwnMerchant } from './own-merchant-sql.ts';

type OpenOwnInput = { name: string; approval: LiveApproval; shards?: string | undefined };

type OpenedMerchant = { merchantAccountId: bigint; merchantCode: string };

/** Opens a merchant account for a user, who becomes its owner. */
export async function openOwnMerchant(
  { database, clock }: Context,
  actor: Person,
  { name, approval, shards = SHARDS }: OpenOwnInput,
): Promise<OpenedMerchant> {
  const shard = drawShard(shards);
  const approved = approval === 'automatic';
  return inTransaction(database, async (tx) => {
    const opened = await insertOwnMerchant(tx, { name, shard, approved }, new Date(clock.nowMs()));
    if (!opened) throw new Refusal('TOO_MANY_MERCHANTS', { most: MAX_OWN_MERCHANTS });
    const { id: merchantAccountId, code: merchantCode } = opened;
    await recordAudit(tx, clock, actor, {
      action: 'merchant.create',
      subject: `merchant:${merchantAccountId}`,
      details: { after: { name, shard, approved } },
    });
    return { merchantAccountId, merchantCode };
  });
}

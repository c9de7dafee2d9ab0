import { formatMicroUsd } from '@counterfoil/core/usd.ts';
import { recordAudit } from '../audit/record-audit.ts';
import type { Context } from '../db/context.ts';
import { isDatabaseError } from '../db/database.ts';
import { periodOf } from '../db/partition-sql.ts';
import type { StoreRef } from '../db/store-ref.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Actor } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import { insertFundingEntry, moveAvailable } from './ledger-sql.ts';

type CreditInput = { store: StoreRef; microUsd: bigint; note: string };

const CHECK_VIOLATION = '23514';

export async function creditBalance({ database, clock }: Context, actor: Actor, input: CreditInput): Promise<bigint> {
  if (input.microUsd === 0n) throw new Refusal('BALANCE_UNCHANGED');
  const at = new Date(clock.nowMs());
  try {
    return await inTransaction(database, async (tx) => {
      const available = await moveAvailable(tx, input.store.id, input.microUsd);
      await insertFundingEntry(tx, {
        storeId: input.store.id,
        period: periodOf(at),
        kind: input.microUsd > 0n ? 'credit' : 'debit',
        microUsd: input.microUsd > 0n ? input.microUsd : -input.microUsd,
        note: input.note,
        at,
      });
      await recordAudit(tx, clock, actor, {
        action: 'balance.credit',
        subject: `store:${input.store.id}`,
        details: {
          amount: formatMicroUsd(input.microUsd),
          after: formatMicroUsd(available),
          note: input.note,
        },
      });
      return available;
    });
  } catch (cause) {
    if (isDatabaseError(cause, CHECK_VIOLATION)) throw new Refusal('BALANCE_TOO_LOW');
    throw cause;
  }
}

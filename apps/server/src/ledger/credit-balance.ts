import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { isDatabaseError } from '../db/database.ts';
import { periodOf } from '../db/partition-store.ts';
import { inTransaction } from '../db/transaction.ts';
import { formatDecimal } from '../lib/amount.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import { MICRO_USD_DECIMALS } from './fee.ts';
import { insertFundingEntry, moveAvailable } from './ledger-store.ts';

export type CreditInput = { storeId: bigint; microUsd: bigint; note: string; actor: string };

const CHECK_VIOLATION = '23514';

/** Adds money to a store's balance, or takes some back when negative; never below zero. Returns what is available then. */
export async function creditBalance(database: Database, clock: Clock, input: CreditInput): Promise<bigint> {
  if (input.microUsd === 0n) throw new OperatorError('Nothing to credit.');
  const at = new Date(clock.nowMs());
  try {
    return await inTransaction(database, async (tx) => {
      const available = await moveAvailable(tx, input.storeId, input.microUsd);
      await insertFundingEntry(tx, {
        storeId: input.storeId,
        period: periodOf(at),
        kind: input.microUsd > 0n ? 'credit' : 'debit',
        microUsd: input.microUsd > 0n ? input.microUsd : -input.microUsd,
        note: input.note,
        at,
      });
      await recordAudit(tx, clock, {
        actor: input.actor,
        action: 'balance.credit',
        subject: `store:${input.storeId}`,
        details: {
          amount: formatDecimal(input.microUsd, MICRO_USD_DECIMALS, 2),
          after: formatDecimal(available, MICRO_USD_DECIMALS, 2),
          note: input.note,
        },
      });
      return available;
    });
  } catch (cause) {
    if (isDatabaseError(cause, CHECK_VIOLATION)) throw new OperatorError('The balance does not hold that much.');
    throw cause;
  }
}

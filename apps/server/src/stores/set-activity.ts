import { recordAudit } from '../audit/record-audit.ts';
import type { Database } from '../db/database.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Clock } from '../lib/clock.ts';
import { OperatorError } from '../lib/errors.ts';
import { findStore, setMerchantActive, setStoreActive } from './store-store.ts';

/** Open invoices of a disabled store or account still settle and notify; only new calls are refused. */
export async function setStoreActivity(
  database: Database,
  clock: Clock,
  input: { merchantId: string; active: boolean; actor: string },
): Promise<void> {
  const store = await findStore(database.queries, input.merchantId);
  if (!store) throw new OperatorError(`There is no store ${input.merchantId}.`);
  await inTransaction(database, async (tx) => {
    await setStoreActive(tx, store.id, input.active);
    await recordAudit(tx, clock, {
      actor: input.actor,
      action: input.active ? 'store.activate' : 'store.deactivate',
      subject: `store:${store.id}`,
      details: {},
    });
  });
}

export async function setMerchantActivity(
  database: Database,
  clock: Clock,
  input: { merchantAccountId: bigint; active: boolean; actor: string },
): Promise<void> {
  await inTransaction(database, async (tx) => {
    if (!(await setMerchantActive(tx, input.merchantAccountId, input.active))) {
      throw new OperatorError(`There is no merchant ${input.merchantAccountId}.`);
    }
    await recordAudit(tx, clock, {
      actor: input.actor,
      action: input.active ? 'merchant.activate' : 'merchant.deactivate',
      subject: `merchant:${input.merchantAccountId}`,
      details: {},
    });
  });
}

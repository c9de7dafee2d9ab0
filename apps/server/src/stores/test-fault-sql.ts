import { sql } from 'kysely';
import type { Tx } from '../db/transaction.ts';

/** Faults of test stores, each until a time and for its own store only. */

export const TEST_FAULTS = ['outage', 'webhooks', 'prices'] as const;
export type TestFault = (typeof TEST_FAULTS)[number];

const COLUMNS = {
  outage: 'outage_until',
  webhooks: 'webhooks_fail_until',
  prices: 'prices_gone_until',
} as const satisfies Record<TestFault, string>;

/** Sets the end of a test store's fault. */
export async function saveTestFault(tx: Tx, storeId: bigint, fault: TestFault, until: Date): Promise<void> {
  const column = sql.ref(COLUMNS[fault]);
  await sql`
    insert into test_faults (store_id, ${column}) values (${storeId}, ${until})
    on conflict (store_id) do update set ${column} = excluded.${column}`.execute(tx);
}

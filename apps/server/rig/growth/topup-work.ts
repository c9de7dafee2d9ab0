import type pg from 'pg';
import { unitsOf } from '../invoices/pay-invoice.ts';
import { selectMethod } from '../invoices/select-method.ts';
import { markAsRead } from '../chains/mark-as-read.ts';
import type { WorkerRig } from './worker-rig.ts';
import { drain, payOne } from './worker-rig.ts';

/** Top-ups that a worker opens and credits, among many that failed long ago. */

const PAST = 20_000;
const COLUMNS = 'code, store_id, micro_usd, requested_by, return_url, created_at, failed_at, fault';

/** Adds top-ups of long ago, and makes the rig's store the one where top-ups are paid. */
export async function seedPastTopups(client: pg.Client, storeId: bigint): Promise<void> {
  await client.query(
    `insert into topups (${COLUMNS})
     select 'TOP-' || lpad(n::text, 16, '0'), $1, 5000000, 'rig', 'https://dashboard.example', now() - interval '1 year',
       now() - interval '1 year', 'too-late' from generate_series(1, ${PAST}) n`,
    [storeId],
  );
  await client.query(`update stores set purpose = 'topup' where id = $1`, [storeId]);
  await client.query('analyze topups');
}

let topups = 0;

async function ask({ own, store, clock }: WorkerRig, hoursAgo: number): Promise<string> {
  topups += 1;
  const code = `TOP-RIG${String(topups).padStart(13, '0')}`;
  const createdAt = new Date(clock.nowMs() - hoursAgo * 3_600_000);
  await own.pool.query(
    `insert into topups (${COLUMNS}) values ($1, $2, 25000000, 'rig', 'https://dashboard.example', $3, null, null)`,
    [code, store.id, createdAt],
  );
  return code;
}

/** Has one top-up opened and paid, which settles later, and one failed. */
export async function topUp(rig: WorkerRig): Promise<void> {
  const code = await ask(rig, 0);
  await ask(rig, 2);
  await drain(rig, (name) => name === 'top-ups');
  const { rows } = await rig.own.pool.query<{ trans_id: string }>('select trans_id from topups where code = $1', [
    code,
  ]);
  const transId = rows[0]?.trans_id ?? '';
  await markAsRead(rig.admin, rig.clock);
  const quote = await selectMethod({ database: rig.own, clock: rig.clock }, { transId, network: 'BSC', token: 'USDT' });
  await payOne(rig, quote, unitsOf(quote));
}

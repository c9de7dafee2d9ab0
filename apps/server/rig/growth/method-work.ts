import type pg from 'pg';
import { nextAddress } from '../stores/open-store.ts';
import type { WorkerRig } from './worker-rig.ts';
import { drain } from './worker-rig.ts';

/** Changes of payment methods whose time has come, among many that were decided long ago. */

const DECIDED = 5_000;
const COLUMNS = `code, merchant_account_id, store_id, kind, network, family, address, secret_id, base_url, key_hint,
  bound_to_addresses, is_sub_account, requested_by, requested_at, effective_at, state, decided_by, decided_at`;

/** Adds changes that were decided long ago. */
export async function seedDecidedChanges(client: pg.Client, storeId: bigint): Promise<void> {
  await client.query(
    `insert into method_changes (${COLUMNS})
     select 'MCH-PAST' || n, s.merchant_account_id, s.id, 'wallet', 'ETH', 'evm', 'past-' || n, null, null, null, null, null, 'rig',
       now() - interval '1 year', now() - interval '1 year', 'cancelled', 'rig', now() - interval '1 year'
     from stores s, generate_series(1, ${DECIDED}) n where s.id = $1`,
    [storeId],
  );
  await client.query('analyze method_changes');
}

let changes = 0;

/** Lets the worker apply two addresses and a key of an exchange account. */
export async function changeMethods(rig: WorkerRig): Promise<void> {
  const due = new Date(rig.clock.nowMs() - 1_000);
  for (const network of ['ETH', 'POLYGON']) {
    changes += 1;
    await rig.own.pool.query(
      `insert into method_changes (${COLUMNS})
       select 'MCH-DUE' || $4::integer, s.merchant_account_id, s.id, 'wallet', $2, 'evm', $3, null, null, null, null, null, 'cli:rig',
         $5, $5, 'pending', null, null
       from stores s where s.id = $1`,
      [rig.store.id, network, nextAddress(), changes, due],
    );
  }
  changes += 1;
  await rig.own.pool.query(
    `insert into method_changes (${COLUMNS})
     select 'MCH-DUE' || $2::integer, x.merchant_account_id, $1, 'exchange-account', x.network, x.network, x.account, x.secret_id,
       x.base_url, x.key_hint, x.bound_to_addresses, x.is_sub_account, 'cli:rig', $3, $3, 'pending', null, null
     from exchange_accounts x where x.account = $4`,
    [rig.store.id, changes, due, rig.exchange.account.uid],
  );
  await drain(rig, (name) => name === 'method changes');
}

import { creditBalance } from '../../src/ledger/credit-balance.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openKeyRing } from '../../src/secrets/key-ring.ts';
import { setStorePurpose } from '../../src/stores/set-store-purpose.ts';
import { storeForOperator } from '../../src/stores/store-for-operator.ts';
import type { KeyRingFixture } from '../database/key-ring-fixture.ts';
import { openStore, TESTER } from './open-store.ts';

/** Money of stores as the dashboard shows it: credits, fees by day, uses of keys, and top-ups that are offered. */

type Site = Pick<KeyRingFixture, 'database' | 'path'>;

/** Opens the operator's store for top-ups, which offers them to everybody. */
export async function offerTopups({ database, path }: Site): Promise<void> {
  const store = await openStore(database, { ring: await openKeyRing(path), creditMicroUsd: 0n });
  await setStorePurpose({ database, clock: systemClock }, TESTER, { store: store.ref, purpose: 'topup' });
}

export async function creditStore(
  { database }: Pick<Site, 'database'>,
  merchantId: string,
  credit: { microUsd: bigint; note: string },
): Promise<void> {
  const context = { database, clock: systemClock };
  const store = await storeForOperator(context, TESTER, merchantId);
  await creditBalance(context, TESTER, { store, ...credit });
}

/** Fees of the last days, up to three days ago: newer days are counted again from invoices all the time. */
const FEES = `
  insert into store_days (store_id, day, network, token, created, completed, volume_usd, fee_micro_usd)
  select s.id, (now() at time zone 'UTC')::date - n, 'BSC', 'USDT', 40 + n % 7, 31 + n % 11, 1830.5 + n * 11, 9152500 + n % 5 * 1031000
  from stores s, generate_series(3, $2::integer) n where s.merchant_id = $1`;

export async function seedFees({ database }: Pick<Site, 'database'>, merchantId: string, days: number): Promise<void> {
  await database.pool.query(FEES, [merchantId, days]);
}

const USES = `
  insert into api_key_days (key_id, store_id, day, calls, last_used_at)
  select k.id, s.id, (now() at time zone 'UTC')::date - n, $2, now() - n * interval '1 day' - interval '2 minutes'
  from stores s join lateral (select id from api_keys where store_id = s.id order by id desc limit 1) k on true,
    generate_series(0, 9) n where s.merchant_id = $1`;

/** Uses the newest key of a store for ten days, the last time two minutes ago. */
export async function useKey({ database }: Pick<Site, 'database'>, merchantId: string, calls: number): Promise<void> {
  await database.pool.query(USES, [merchantId, calls]);
}

import type pg from 'pg';
import { addDays, dayOf } from '../../src/days/store-day.ts';
import { systemClock } from '../../src/lib/clock.ts';

/** Figures of a store for many days, so that pages have something to show. */

const METHODS = [
  { network: 'TRC20', token: 'USDT', share: 6 },
  { network: 'BSC', token: 'USDT', share: 3 },
  { network: 'BSC', token: 'USDC', share: 1 },
] as const;
const SPANS = 19;
const DETECT_SPAN = 3;
const FINAL_SPAN = 6;
const WAVE_DAYS = 7;

const spans = (place: number, count: number) =>
  Array.from({ length: SPANS }, (_none, at) => (at === place ? count : 0));

/** More payments towards the end of each week: the same figures in every run. */
const paymentsOn = (daysAgo: number, share: number) => share * (4 + WAVE_DAYS - 1 - (daysAgo % WAVE_DAYS));

/** Writes the figures of the last `days` days of a store; `sandbox` for the networks of a test store. */
export async function seedDays(
  pool: pg.Pool,
  merchantId: string,
  { days, sandbox = false }: { days: number; sandbox?: boolean },
): Promise<void> {
  const today = dayOf(systemClock.nowMs());
  for (let daysAgo = 0; daysAgo < days; daysAgo += 1) {
    const day = addDays(today, -daysAgo);
    await pool.query(
      `insert into store_days (store_id, day, network, token, created, expired)
       select id, $2, '', '', 90, 6 from stores where merchant_id = $1 on conflict do nothing`,
      [merchantId, day],
    );
    for (const { network, token, share } of METHODS) {
      const completed = paymentsOn(daysAgo, share);
      await pool.query(
        `insert into store_days (store_id, day, network, token, completed, volume_usd, fee_micro_usd, detect_counts, final_counts)
         select id, $2, $3, $4, $5::integer, $5::integer * 41.8, $5::integer * 209000, $6, $7
         from stores where merchant_id = $1 on conflict do nothing`,
        [
          merchantId,
          day,
          sandbox ? `sandbox:${network}` : network,
          token,
          completed,
          spans(DETECT_SPAN, completed),
          spans(FINAL_SPAN, completed),
        ],
      );
    }
  }
}

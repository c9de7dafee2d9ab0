import { systemClock } from '../../src/lib/clock.ts';
import { requestTopup } from '../../src/topups/request-topup.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import type { Cells } from './cells.ts';

const STORE = '/accounts/:account/stores/:store';
let cents = 0;

/** Routes about balances and top-ups. */
export const balanceCells: Cells = {
  bodies: {
    [`PATCH ${STORE}/balance`]: () => ({ low_balance: `1.${String(10 + (cents += 1))}` }),
    [`POST ${STORE}/topups`]: () => ({ amount: '25.00' }),
  },
  parts: {
    ':topup': async ({ site, store }) => {
      await site.database.pool.query(`update topups set created_at = now() - interval '2 days'`);
      const asked = { store: store.ref, microUsd: 25_000_000n, returnUrl: 'https://dashboard.example' };
      return requestTopup({ database: site.database, clock: systemClock }, TESTER, asked);
    },
  },
  tables: ['topups'],
};

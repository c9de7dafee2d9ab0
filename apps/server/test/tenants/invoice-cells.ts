import { createMakeInvoice } from '../../rig/invoices/make-invoice.ts';
import { admitStore } from '../../src/stores/admission-sql.ts';
import { storeForKey } from '../../src/stores/store-for-key.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createTestStore } from '../../src/sandbox/create-test-store.ts';
import { LIFTED_PLAN, TESTER } from '../../rig/stores/open-store.ts';
import type { CellRig, Cells } from './cells.ts';

/** What the matrix needs to call the routes about invoices and the audit. */

const TEST_PAYMENT = 'POST /accounts/:account/invoices/:invoice/test-payment';

/** A test store of the own merchant. */
async function openTestStore({ site, store: { merchantAccountId, ring } }: CellRig) {
  const context = { database: site.database, clock: systemClock, ring };
  return createTestStore(context, TESTER, {
    merchantAccountId,
    name: 'Test store',
    planCode: LIFTED_PLAN.code,
    discountPercent: '0',
    lifetimeMinutes: 30,
    httpsCallbacksOnly: false,
  });
}

export const invoiceCells: Cells = {
  bodies: {
    'POST /accounts/:account/stores/:store/invoices': () => ({ amount: '12.50', name: 'A link' }),
    'POST /accounts/:account/invoices/:invoice/cancel': () => ({ wait_seconds: 0 }),
    [TEST_PAYMENT]: () => ({ scenario: 'pay', wait_seconds: 0 }),
  },
  parts: {
    // Not by the store's API key, which other routes of the matrix end.
    ':invoice': async (rig, route) => {
      const { site } = rig;
      const store = route === TEST_PAYMENT ? await openTestStore(rig) : rig.store;
      const body = { merchant_id: store.merchantId, amount: '5' };
      const { store: admitted } = await admitStore(site.database.queries, store.id, 'create');
      if (!admitted) throw new Error('The store was not admitted.');
      return createMakeInvoice(site.database)(storeForKey(admitted), systemClock, body);
    },
  },
  queries: {
    'GET /accounts/:account/search': '?q=TID-AAAAAAAAAAAAAAAA',
    'GET /accounts/:account/changes': '?ids=TID-AAAAAAAAAAAAAAAA',
  },
  tables: ['invoices', 'balances', 'ledger_entries', 'sandbox_acts', 'cancel_requests'],
};

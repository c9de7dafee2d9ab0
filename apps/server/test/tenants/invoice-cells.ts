import { createMakeInvoice } from '../../rig/invoices/make-invoice.ts';
import { admitStore } from '../../src/stores/admission-sql.ts';
import { storeForKey } from '../../src/stores/store-for-key.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Cells } from './cells.ts';

/** What the matrix needs to call the routes about invoices and the audit. */

export const invoiceCells: Cells = {
  bodies: { 'POST /accounts/:account/stores/:store/invoices': () => ({ amount: '12.50', name: 'A link' }) },
  parts: {
    // Not by the store's API key, which other routes of the matrix end.
    ':invoice': async ({ site, store }) => {
      const body = { merchant_id: store.merchantId, amount: '5' };
      const { store: admitted } = await admitStore(site.database.queries, store.id);
      if (!admitted) throw new Error('The store was not admitted.');
      return createMakeInvoice(site.database)(storeForKey(admitted), systemClock, body);
    },
  },
  queries: {
    'GET /accounts/:account/search': '?q=TID-AAAAAAAAAAAAAAAA',
    'GET /accounts/:account/changes': '?ids=TID-AAAAAAAAAAAAAAAA',
  },
  tables: ['invoices', 'balances', 'ledger_entries'],
};

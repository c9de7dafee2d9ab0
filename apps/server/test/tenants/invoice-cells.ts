import { createMakeInvoice } from '../../rig/invoices/make-invoice.ts';
import { admitStore } from '../../rig/stores/admit-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Cells } from './cells.ts';

/** What the matrix needs to call the routes about invoices and the audit. */

export const invoiceCells: Cells = {
  bodies: { 'POST /accounts/:account/stores/:store/invoices': () => ({ amount: '12.50', name: 'A link' }) },
  parts: {
    ':invoice': async ({ site, store }) => {
      const body = { merchant_id: store.merchantId, amount: '5' };
      return createMakeInvoice(site.database)(await admitStore(site.database, store), systemClock, body);
    },
  },
  queries: {
    'GET /accounts/:account/search': '?q=TID-AAAAAAAAAAAAAAAA',
    'GET /accounts/:account/changes': '?ids=TID-AAAAAAAAAAAAAAAA',
  },
  tables: ['invoices', 'balances', 'ledger_entries'],
};

import { issueApiKey } from '../../src/stores/issue-api-key.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import type { Cells } from './cells.ts';

/** What the matrix needs to call the routes about stores, their keys and their looks. */

const STORE = '/accounts/:account/stores/:store';
const END_OLD = 'key/end-old';
let names = 0;

function newName(): string {
  names += 1;
  return `Store ${names}`;
}

export const storeCells: Cells = {
  bodies: {
    [`PATCH ${STORE}`]: () => ({ name: newName() }),
    [`POST ${STORE}/activity`]: () => ({ active: true }),
    [`PUT ${STORE}/brand`]: () => ({ display_name: newName(), accent: null, support_url: null, support_email: null }),
    [`POST ${STORE}/key`]: () => ({ overlap_hours: 24 }),
    [`POST ${STORE}/webhook-secret`]: () => ({ overlap_hours: 0 }),
  },
  parts: {
    // A second key, so that there is an older one to end.
    [END_OLD]: async ({ site, store }) => {
      const context = { database: site.database, clock: systemClock, ring: store.ring, jobs: undefined };
      await issueApiKey(context, TESTER, { store: store.ref, overlapHours: 24 });
      return END_OLD;
    },
  },
  tables: ['brands', 'logos'],
};

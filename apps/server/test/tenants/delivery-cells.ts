import { makeEvent } from '../../rig/webhooks/make-event.ts';
import type { Cells } from './cells.ts';

/** What the matrix needs for routes about webhooks. */

const REPLAY = 'POST /accounts/:account/stores/:store/replay';
const DAY_SECONDS = 86_400;

export const deliveryCells: Cells = {
  bodies: {
    [REPLAY]: () => {
      const to = Math.floor(Date.now() / 1_000) + 60;
      return { from: to - DAY_SECONDS, to, dry_run: false };
    },
    'POST /accounts/:account/stores/:store/webhook-test': () => ({ url: 'https://shop.example/test' }),
  },
  parts: {
    ':event': ({ site, store }) => makeEvent(site.database, store.id, { type: 'invoice.expired', status: 200 }),
    // Each replay has something to send again.
    '/replay': async ({ site, store }) => {
      await makeEvent(site.database, store.id, { type: 'invoice.expired', status: 200 });
      return '/replay';
    },
  },
  tables: ['events', 'deliveries', 'endpoints'],
};

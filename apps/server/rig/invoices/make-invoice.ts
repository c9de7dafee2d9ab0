import { pino } from 'pino';
import { createBodies, toCreateInvoiceInput } from '../../src/api/create-invoice-body.ts';
import type { Database } from '../../src/db/database.ts';
import { createReadRate } from '../../src/rates/read-rate.ts';
import { createInsertInvoice, createInvoice } from '../../src/invoices/create-invoice.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { createNetworks, methodsOfMode } from '../../src/networks/networks.ts';
import type { AdmittedStore } from '../../src/stores/store-for-key.ts';

const BODIES = {
  live: createBodies(methodsOfMode(createNetworks(), true)),
  test: createBodies(methodsOfMode(createNetworks(), false)),
};

const log = pino({ level: 'silent' });

/** Makes an invoice and returns its code. */
export type MakeInvoice = (store: AdmittedStore, clock: Clock, body: Record<string, unknown>) => Promise<string>;

/** Makes invoices by the verb that the API calls, from bodies as merchants send them. */
export function createMakeInvoice(database: Database): MakeInvoice {
  const insertInvoice = createInsertInvoice(database);
  return async (store, clock, body) => {
    const actor = { kind: 'key', storeId: store.id } as const;
    const input = toCreateInvoiceInput(store, BODIES[store.live ? 'live' : 'test'](body['currency']).parse(body));
    const readRate = createReadRate(database.queries, clock);
    return (await createInvoice({ database, clock, log, insertInvoice, readRate }, actor, input)).transId;
  };
}

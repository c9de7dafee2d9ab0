import type { FastifyInstance } from 'fastify';
import type { Database } from '../db/database.ts';
import { viewInvoice } from '../invoices/invoice-view.ts';
import { listStoreInvoices } from '../invoices/list-store-invoices.ts';
import type { Admit } from './admit-request.ts';
import { admitRequest } from './admit-request.ts';
import { cursorAfter, readListQuery } from './store-list-query.ts';

type ListOptions = { database: Database; admit: Admit };

export const LIST_PATH = '/invoices';

export function registerListRoutes(app: FastifyInstance, { database, admit }: ListOptions): void {
  app.route({
    method: 'GET',
    url: LIST_PATH,
    // Beyond the contract, whose document describes its two endpoints alone.
    schema: { hide: true },
    handler: async (request, reply) => {
      const store = await admitRequest(admit, 'list', request, reply);
      const input = { store, ...readListQuery(request.query) };
      const actor = { kind: 'key', storeId: store.id } as const;
      const { rows, hasMore } = await listStoreInvoices({ database }, actor, input);
      const last = rows.at(-1);
      // The newest change is a place to continue from; after the oldest invoice there is nothing.
      const continues = last !== undefined && (hasMore || input.order === 'changed');
      return {
        status: 'success' as const,
        data: {
          invoices: rows.map(viewInvoice),
          has_more: hasMore,
          next_cursor: continues ? cursorAfter(last.trans_id, last.position) : null,
        },
      };
    },
  });
}

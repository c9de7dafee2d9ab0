import type { FastifyInstance } from 'fastify';
import type { Context } from '../db/context.ts';
import { viewCancelled } from '../invoices/invoice-view.ts';
import { requestCancel } from '../invoices/request-cancel.ts';
import type { Admit } from './admit-request.ts';
import { admitRequest } from './admit-request.ts';
import { PublicError } from './public-error.ts';
import { requireTransId } from './require-trans-id.ts';

export const CANCEL_PATH = '/invoice/:trans_id/cancel';

/** Cancelling an invoice: an addition to the contract, so not in its document. */
export function registerCancelRoutes(app: FastifyInstance, { admit, ...context }: Context & { admit: Admit }): void {
  app.route({
    method: 'POST',
    url: CANCEL_PATH,
    schema: { hide: true },
    handler: async (request, reply) => {
      const store = await admitRequest(admit, 'cancel', request, reply);
      const { trans_id: transId = '' } = request.params as { trans_id?: string };
      requireTransId(transId);
      const invoice = await requestCancel(context, { kind: 'key', storeId: store.id }, { store, transId });
      if (invoice.cancelledAt === null) throw new PublicError('CANCEL_PENDING');
      return viewCancelled(invoice, invoice.cancelledAt);
    },
  });
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Database } from '../db/database.ts';
import { createBatcher } from '../lib/batch.ts';
import { isRecord } from '../lib/record.ts';
import { createReadRate } from '../rates/read-rate.ts';
import type { Clock } from '../lib/clock.ts';
import { invalidFields, PublicError } from './public-error.ts';
import type { RequestBody } from './request-body.ts';
import { requireValue } from './request-body.ts';
import { requireTransId } from './require-trans-id.ts';
import type { AdmittedStore } from '../stores/store-for-key.ts';
import type { Admit } from './admit-request.ts';
import { admitRequest } from './admit-request.ts';
import type { CallbackFault } from '../webhooks/callback-fault.ts';
import { findCallbackFault } from '../webhooks/callback-fault.ts';
import { createInsertInvoice, createInvoice } from '../invoices/create-invoice.ts';
import type { CreateInvoiceBody } from './create-invoice-body.ts';
import { createBodies, createInvoiceBody, supplied, toCreateInvoiceInput } from './create-invoice-body.ts';
import { createdInvoiceSchema, errorSchema, foundInvoiceSchema, transIdParameters } from './invoice-schemas.ts';
import type { Networks } from '../networks/networks.ts';
import { methodsOfMode } from '../networks/networks.ts';
import { playMagicAmount } from '../sandbox/play-magic-amount.ts';
import type { InvoiceRow, LookupAsk } from '../invoices/invoice-sql.ts';
import { findInvoices } from '../invoices/invoice-sql.ts';
import { viewCreated, viewInvoice } from '../invoices/invoice-view.ts';

type InvoiceRoutesOptions = {
  database: Database;
  clock: Clock;
  networks: Networks;
  admit: Admit;
  checkoutUrl: string;
  /** Allows private IP addresses for webhooks; development only. */
  privateCallbacks: boolean;
};

const MAX_LOOKUPS = 128;
const MAX_RUNNING = 2;

const CALLBACK_FAULTS: Record<CallbackFault, string> = {
  form: 'callback_url must be an http or https URL.',
  insecure: 'callback_url must be an https URL for this store.',
  port: 'callback_url must not name a port of another service than the web.',
  private: 'callback_url must be on the public internet.',
};

type CreateBodies = Record<'live' | 'test', ReturnType<typeof createBodies>>;
type BodyRules = { store: AdmittedStore; bodies: CreateBodies; privateCallbacks: boolean };

function readCreateBody(
  body: RequestBody | undefined,
  { store, bodies, privateCallbacks }: BodyRules,
): CreateInvoiceBody {
  if (!body) throw invalidFields([{ field: 'body', message: 'The body must be a JSON object.' }]);
  const fields = supplied(requireValue(body));
  const bodyOf = bodies[store.live ? 'live' : 'test'];
  const parsed = bodyOf(isRecord(fields) ? fields['currency'] : undefined).safeParse(fields);
  if (!parsed.success) {
    throw invalidFields(
      parsed.error.issues.map((issue) => ({ field: String(issue.path[0] ?? 'body'), message: issue.message })),
    );
  }
  const { callback_url: callbackUrl } = parsed.data;
  const fault = callbackUrl === undefined ? undefined : findCallbackFault(callbackUrl, store, privateCallbacks);
  if (fault !== undefined) throw invalidFields([{ field: 'callback_url', message: CALLBACK_FAULTS[fault] }]);
  if (parsed.data.merchant_id !== store.merchantId) throw new PublicError('INVALID_MERCHANT_ID');
  return parsed.data;
}

const errorResponses = (statuses: readonly number[]) =>
  Object.fromEntries(statuses.map((status) => [status, errorSchema]));

export function registerInvoiceRoutes(app: FastifyInstance, options: InvoiceRoutesOptions): void {
  const { database, clock, networks, admit, checkoutUrl, privateCallbacks } = options;
  const insertInvoice = createInsertInvoice(database);
  const readRate = createReadRate(database.queries, clock);
  const bodies = {
    live: createBodies(methodsOfMode(networks, true)),
    test: createBodies(methodsOfMode(networks, false)),
  };
  const lookup = createBatcher<LookupAsk, InvoiceRow | undefined>({
    run: (asks) => findInvoices(database.pool, asks),
    maxAsks: MAX_LOOKUPS,
    maxRunning: MAX_RUNNING,
  });

  app.route({
    method: 'POST',
    url: '/payment/crypto',
    schema: {
      summary: 'Create invoice',
      operationId: 'createInvoice',
      description:
        'Creates an invoice in USD. With a `request_id` used before, returns that invoice and `idempotent: true`.',
      body: createInvoiceBody,
      response: { 200: createdInvoiceSchema, ...errorResponses([400, 401, 402, 403, 413, 415, 429, 500]) },
    },
    handler: async (request, reply) => {
      const store = await admitRequest(admit, 'create', request, reply);
      const body = readCreateBody(request.body as RequestBody | undefined, { store, bodies, privateCallbacks });
      const actor = { kind: 'key', storeId: store.id } as const;
      const context = { database, clock, log: request.log, insertInvoice, readRate };
      const invoice = await createInvoice(context, actor, toCreateInvoiceInput(store, body));
      if (!store.live) await playMagicAmount({ ...context, networks }, actor, { store, invoice });
      return viewCreated(invoice, body.request_id, checkoutUrl);
    },
  });

  const find = async (request: FastifyRequest, reply: FastifyReply) => {
    const store = await admitRequest(admit, 'lookup', request, reply);
    const transId = (request.params as { trans_id?: string }).trans_id ?? '';
    if (transId === '') throw new PublicError('MISSING_TRANS_ID');
    requireTransId(transId);
    const row = await lookup({ storeId: store.id, transId });
    if (!row) throw new PublicError('INVOICE_NOT_FOUND', { details: { trans_id: transId } });
    return { status: 'success' as const, data: viewInvoice(row) };
  };

  app.route({
    method: 'GET',
    url: '/invoice/:trans_id',
    schema: {
      summary: 'Get invoice',
      operationId: 'getInvoice',
      description: 'Returns an invoice of the store that owns the API key.',
      params: transIdParameters,
      response: { 200: foundInvoiceSchema, ...errorResponses([400, 401, 403, 404, 429, 500]) },
    },
    handler: find,
  });
  app.route({ method: 'GET', url: '/invoice/', schema: { hide: true }, handler: find });
  app.route({ method: 'GET', url: '/invoice', schema: { hide: true }, handler: find });
}

import { createHash } from 'node:crypto';
import { isTransId } from '@counterfoil/core/code.ts';
import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { publicSymbol } from '@counterfoil/core/network-id.ts';
import { CURRENCIES } from '@counterfoil/core/currency.ts';
import { formatUsd } from '@counterfoil/core/usd.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { amountRuleOf, createInvoiceBody, supplied, toInvoiceFields } from '../api/create-invoice-body.ts';
import { cancelMemberInvoice } from '../invoices/cancel-member-invoice.ts';
import { createMemberInvoice } from '../invoices/create-member-invoice.ts';
import type { InvoiceFilter } from '../invoices/invoice-list.ts';
import { LISTED_STATUSES } from '../invoices/invoice-list.ts';
import { listInvoices } from '../invoices/list-invoices.ts';
import { readInvoiceHistory } from '../invoices/read-invoice-history.ts';
import { readInvoiceStates } from '../invoices/read-invoice-states.ts';
import { searchInvoices } from '../invoices/search-invoices.ts';
import { dateFromUnix, unixSeconds } from '../lib/clock.ts';
import type { Networks } from '../networks/networks.ts';
import { createReadRate } from '../rates/read-rate.ts';
import { viewHistory, viewListed, viewPriced, viewResult, viewState } from './invoice-answers.ts';
import { cursor, PAGE_ROWS } from './paging.ts';
import type { DashboardRoute } from './route.ts';
import { personRoute } from './route.ts';

const MAX_CODE = 64;
const MAX_TYPED = 255;
const MAX_WATCHED = 50;
/** Longest wait for a worker. */
const MAX_WAIT_SECONDS = 3;
const NOT_MODIFIED = 304;

const code = z.string().min(1).max(MAX_CODE);
const amount = z.string().regex(/^\d{1,7}(?:\.\d{1,8})?$/);
/** Unix time in seconds. */
const second = z
  .string()
  .regex(/^\d{1,10}$/)
  .transform((digits) => dateFromUnix(Number(digits)));

const listQuery = z.strictObject({
  store: code.optional(),
  mode: z.enum(['live', 'test']).optional().describe('Of live stores, or of test stores'),
  status: z.enum(LISTED_STATUSES).optional(),
  network: code.optional().describe('The id of a network, or the symbol of several'),
  token: code.optional(),
  min_amount: amount.optional().describe('USD'),
  max_amount: amount.optional().describe('USD'),
  from: second.optional().describe('Created then or later, in Unix seconds'),
  to: second.optional().describe('Created before then, in Unix seconds'),
  callback: z.literal('failed').optional(),
  after: cursor,
});

const watched = z
  .string()
  .transform((list) => list.split(','))
  .pipe(z.array(z.string().refine(isTransId)).min(1).max(MAX_WATCHED));

const cancelBody = z.strictObject({ wait_seconds: z.int().min(0).max(MAX_WAIT_SECONDS).optional() });

const newInvoice = z.preprocess(
  supplied,
  createInvoiceBody
    .omit({ merchant_id: true })
    .extend({ amount: z.string(), currency: z.enum(CURRENCIES).optional() })
    .strict()
    .transform((body, refinement) => {
      const { parse, fault } = amountRuleOf(body.currency);
      const units = parse(body.amount);
      if (units === 0n) refinement.addIssue({ code: 'custom', path: ['amount'], message: fault });
      return { ...body, amount: units };
    }),
);

function filterOf(query: z.output<typeof listQuery>, networks: Networks): InvoiceFilter {
  const { network } = query;
  const matching = [...networks.keys()].filter((id) => id === network || publicSymbol(id) === network);
  return {
    status: query.status,
    networks: network === undefined ? undefined : matching,
    token: query.token,
    minAmount: query.min_amount,
    maxAmount: query.max_amount,
    createdFrom: query.from,
    createdTo: query.to,
    callbackFailed: query.callback === undefined ? undefined : true,
  };
}

/** 304 when the caller has the same answer. */
function answerUnlessSame<Data>(request: FastifyRequest, reply: FastifyReply, data: Data): Data | undefined {
  const tag = `"${createHash('sha256').update(JSON.stringify(data)).digest('base64url')}"`;
  reply.header('etag', tag);
  if (request.headers['if-none-match'] !== tag) return data;
  void reply.code(NOT_MODIFIED).send();
  return undefined;
}

export const invoiceRoutes: readonly DashboardRoute[] = [
  personRoute(
    {
      method: 'GET',
      url: '/accounts/:account/invoices',
      summary: 'List invoices, the newest first',
      query: listQuery,
    },
    async ({ context, person, path: { account = '' }, query }) => {
      const filter = filterOf(query, context.networks);
      const live = query.mode && query.mode === 'live';
      const asked = {
        merchantCode: account,
        merchantId: query.store,
        live,
        filter,
        after: query.after,
        size: PAGE_ROWS,
      };
      const { invoices, next } = await listInvoices(context, person, asked);
      return { invoices: invoices.map(viewListed), next };
    },
  ),
  personRoute(
    {
      method: 'GET',
      url: '/accounts/:account/search',
      summary: 'Find an invoice, event, transaction, address or order',
      query: z.strictObject({ q: z.string().trim().min(1).max(MAX_TYPED) }),
    },
    async ({ context, person, path: { account = '' }, query: { q } }) => {
      const { results, stores } = await searchInvoices(context, person, { merchantCode: account, typed: q });
      return { results: results.map((one) => viewResult(one, stores, context.networks)) };
    },
  ),
  personRoute(
    {
      method: 'GET',
      url: '/accounts/:account/changes',
      summary: 'How some invoices stand; 304 when they stand as before',
      query: z.strictObject({ ids: watched.describe('Codes of invoices, with commas between them') }),
    },
    async ({ context, person, path: { account = '' }, query: { ids }, request, reply }) => {
      const states = await readInvoiceStates(context, person, { merchantCode: account, transIds: ids });
      return answerUnlessSame(request, reply, { invoices: states.map(viewState) });
    },
  ),
  personRoute(
    { method: 'GET', url: '/accounts/:account/invoices/:invoice', summary: 'All that is known of an invoice' },
    async ({ context, person, path: { account = '', invoice = '' } }) => {
      const asked = { merchantCode: account, transId: invoice };
      const { facts, store } = await readInvoiceHistory(context, person, asked);
      return viewHistory(facts, { store, networks: context.networks, checkoutUrl: context.checkoutUrl });
    },
  ),
  personRoute(
    {
      method: 'POST',
      url: '/accounts/:account/stores/:store/invoices',
      summary: 'Create an invoice',
      body: newInvoice,
    },
    async ({ context, person, path: { account = '', store = '' }, input, request }) => {
      const asked = { merchantCode: account, merchantId: store, ...toInvoiceFields(input) };
      const readRate = createReadRate(context.database.queries, context.clock);
      const created = await createMemberInvoice({ ...context, log: request.log, readRate }, person, asked);
      const { checkoutUrl } = context;
      return {
        trans_id: created.transId,
        status: created.status,
        amount: formatUsd(created.amountUnits),
        ...viewPriced(created.pricing),
        url_payment: checkoutUrl === undefined ? null : `${checkoutUrl}/bill/${created.transId}`,
        expires_in_minutes: created.lifetimeMinutes,
        new: !created.replay,
      };
    },
  ),
  personRoute(
    {
      method: 'POST',
      url: '/accounts/:account/invoices/:invoice/cancel',
      summary: 'Cancel an invoice that nobody has paid',
      body: cancelBody,
      held: 'wait',
    },
    async ({ context, person, path: { account = '', invoice = '' }, input: { wait_seconds: waitSeconds } }) => {
      const maxWaitMs = (waitSeconds ?? MAX_WAIT_SECONDS) * SECOND_MS;
      const asked = { merchantCode: account, transId: invoice, maxWaitMs };
      const { transId, status, cancelledAt } = await cancelMemberInvoice(context, person, asked);
      return { trans_id: transId, status, cancelled_at: cancelledAt && unixSeconds(cancelledAt) };
    },
  ),
];

import { TRANS_ID, TRANS_ID_FORMAT } from '@counterfoil/core/code.ts';
import { z } from 'zod';
import type { PublicErrorCode } from './public-error.ts';
import { PUBLIC_ERRORS, SANDBOX_ERRORS } from './public-error.ts';
import { INVOICE_STATUSES } from '../invoices/invoice.ts';

/** Answers of the merchant API: source of the OpenAPI document and of contract tests. */

const transId = z
  .string()
  .regex(TRANS_ID)
  .meta({ description: 'Unique invoice code.', example: 'TID-4F7K2M9QX1B8Z3CD' });
const requestId = z.string().meta({ description: "Merchant's own order ID. Present if it was supplied at creation." });
const invoiceStatus = z.enum(INVOICE_STATUSES).meta({ id: 'InvoiceStatus' });
const usdAmount = z
  .string()
  .regex(/^\d+\.\d{2,8}$/)
  .meta({ description: 'USD amount.', example: '50.00' });
const seconds = z.int().nonnegative().meta({ description: 'Unix timestamp in seconds.', example: 1794700800 });

export const createdInvoiceSchema = z
  .strictObject({
    status: z.literal('success'),
    data: z.strictObject({
      request_id: requestId.optional(),
      trans_id: transId,
      status: invoiceStatus.meta({ description: 'Always `waiting` for a newly created invoice.' }),
      amount: usdAmount,
      url_payment: z.string().meta({ description: 'Checkout page. Redirect the customer here.' }),
      expires_in_minutes: z.int().positive().meta({ description: 'Invoice lifetime in minutes.', example: 30 }),
    }),
    idempotent: z
      .literal(true)
      .optional()
      .meta({ description: 'Present when `request_id` was used before: the invoice is that earlier one.' }),
  })
  .meta({ id: 'CreatedInvoice' });

const invoiceSchema = z
  .strictObject({
    trans_id: transId,
    request_id: requestId.optional(),
    status: invoiceStatus,
    amount: usdAmount,
    name: z.string().optional().meta({ description: 'Invoice title. Present if it was supplied at creation.' }),
    description: z
      .string()
      .optional()
      .meta({ description: 'Invoice description. Present if it was supplied at creation.' }),
    created_at: seconds,
    expires_at: seconds,
    token_symbol: z
      .string()
      .optional()
      .meta({ description: 'Present after the customer selected a token and a network.' }),
    network_symbol: z
      .string()
      .optional()
      .meta({ description: 'Present after selection, for example BSC, TRC20, ETH, EXCHANGE_PAY.' }),
    token_amount: z.string().optional().meta({ description: 'Amount of crypto to transfer. Present after selection.' }),
    token_price: z.string().optional().meta({ description: 'Exchange rate at the time of selection.' }),
    to_address: z.string().optional().meta({ description: 'Receiving wallet address. Present after selection.' }),
    transaction_hash: z.string().optional().meta({ description: 'Present when the status is `completed`.' }),
    from_address: z
      .string()
      .optional()
      .meta({ description: "Sender's wallet address. Present when the status is `completed`." }),
    fee_amount: z
      .string()
      .optional()
      .meta({ description: 'Fee deducted, in USD. Present when the status is `completed`.' }),
    callback_status: z
      .enum(['success', 'failed'])
      .nullable()
      .optional()
      .meta({ description: 'Webhook delivery status. Present when the status is `completed`.' }),
  })
  .meta({ id: 'Invoice' });

const pricing = {
  currency: z.string().optional().meta({ description: 'The currency that `amount` was supplied in.' }),
  currency_amount: z.string().optional().meta({ description: 'The amount in this currency, as it was supplied.' }),
  exchange_rate: z.string().optional().meta({ description: 'USD for one unit of the currency, at creation.' }),
};

/** The answer to a create with the fields beyond the contract. */
export const merchantCreatedSchema = createdInvoiceSchema.extend({
  data: createdInvoiceSchema.shape.data.extend(pricing),
});

/** An invoice with the fields beyond the contract, present when they were supplied. */
export const merchantInvoiceSchema = invoiceSchema.extend({
  cancelled: z.literal(true).optional().meta({ description: 'Present when the merchant cancelled it.' }),
  ...pricing,
  metadata: z.record(z.string(), z.string()).optional().meta({ description: 'Your own texts by name.' }),
  methods: z.array(z.string()).optional().meta({ description: 'The only payment methods that it offers.' }),
});

export const invoiceListSchema = z.strictObject({
  status: z.literal('success'),
  data: z.strictObject({
    invoices: z.array(merchantInvoiceSchema),
    has_more: z.boolean().meta({ description: 'Whether there is another page now.' }),
    next_cursor: z.string().nullable().meta({
      description: 'The `cursor` of the next page. A list of changes has one as long as it has rows: keep it.',
    }),
  }),
});

export const foundInvoiceSchema = z
  .strictObject({ status: z.literal('success'), data: invoiceSchema })
  .meta({ id: 'FoundInvoice' });

const errorWith = (codes: readonly PublicErrorCode[]) =>
  z.strictObject({
    status: z.literal('error'),
    message: z.string().meta({ description: 'For people.' }),
    error_code: z.enum(codes).meta({ description: 'For programs.' }),
    request_id: requestId.optional(),
    details: z.record(z.string(), z.unknown()).optional(),
    limit_type: z.enum(['burst', 'sustained']).optional().meta({ description: 'Only with RATE_LIMIT_EXCEEDED.' }),
    retry_after_seconds: z.int().positive().optional().meta({ description: 'Only with RATE_LIMIT_EXCEEDED.' }),
  });

const codesOf = (errors: object) => Object.keys(errors) as PublicErrorCode[];

export const errorSchema = errorWith(codesOf(PUBLIC_ERRORS)).meta({ id: 'Error' });
export const sandboxErrorSchema = errorWith([...codesOf(SANDBOX_ERRORS), ...codesOf(PUBLIC_ERRORS)]).meta({
  id: 'SandboxError',
});

export const transIdParameters = z.object({
  trans_id: z.string().meta({ description: `Invoice code, \`${TRANS_ID_FORMAT}\`.`, pattern: TRANS_ID.source }),
});

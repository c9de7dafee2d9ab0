import { parseDecimal } from '@counterfoil/core/amount.ts';
import { USD_DECIMALS } from '@counterfoil/core/usd.ts';
import { z } from 'zod';
import { isRecord } from '../lib/record.ts';
import { findUrlFault, hasAtMost, isStorableText } from '../lib/text.ts';
import type { CreateInvoiceInput } from '../invoices/create-invoice.ts';
import type { AdmittedStore } from '../stores/store-for-key.ts';

const MAX_AMOUNT_UNITS = 1_000_000n * 10n ** BigInt(USD_DECIMALS);
const AMOUNT = /^(0|[1-9]\d{0,6})(\.\d{1,8})?$/;

const AMOUNT_FAULT = 'amount must be a plain decimal greater than 0 and at most 1000000, with at most 8 decimals.';

/** The amount in OpenAPI, for the text before and the number after the transform. */
const AMOUNT_SHOWN = {
  type: ['number', 'string'],
  description: 'Payment amount in USD, greater than 0 and at most 1,000,000, as a number or a numeric string.',
  examples: ['50.00', 50],
};

/** Units of 10^-8 USD; undefined when invalid. */
function parseAmount(written: string): bigint | undefined {
  const units = AMOUNT.test(written) ? parseDecimal(written, USD_DECIMALS) : undefined;
  return units !== undefined && units > 0n && units <= MAX_AMOUNT_UNITS ? units : undefined;
}

function text(field: string, characters: number) {
  return z
    .string(`${field} must be a string.`)
    .refine((value) => hasAtMost(value, characters), `${field} may hold at most ${characters} characters.`)
    .refine(isStorableText, `${field} may not hold U+0000 or lone surrogates.`)
    .meta({ maxLength: characters });
}

function webUrl(field: string) {
  return text(field, 500)
    .refine((url) => findUrlFault(url) !== 'form', `${field} must be an http or https URL.`)
    .refine((url) => findUrlFault(url) !== 'port', `${field} must not name a port of another service than the web.`)
    .meta({ maxLength: 500, format: 'uri' });
}

const required = (field: string) => `${field} is required.`;

export const createInvoiceBody = z
  .object(
    {
      merchant_id: z
        .string({
          error: (issue) => (issue.input === undefined ? required('merchant_id') : 'merchant_id must be a string.'),
        })
        .meta({ description: "Store's merchant code. Must match the store of the API key.", minLength: 1 }),
      amount: z
        .string({
          error: (issue) =>
            issue.input === undefined ? required('amount') : 'amount must be a number or a numeric string.',
        })
        .meta(AMOUNT_SHOWN)
        .transform((written, context) => {
          const units = parseAmount(written);
          if (units !== undefined) return units;
          context.addIssue(AMOUNT_FAULT);
          return z.NEVER;
        })
        .meta(AMOUNT_SHOWN),
      callback_url: webUrl('callback_url')
        .optional()
        .meta({ description: 'Receives the webhook when the invoice is completed or expired.' }),
      completed_url: webUrl('completed_url')
        .optional()
        .meta({ description: 'Customer redirect after successful payment.' }),
      expired_url: webUrl('expired_url')
        .optional()
        .meta({ description: 'Customer redirect when the invoice expires.' }),
      name: text('name', 255).optional().meta({ description: 'Invoice title.' }),
      description: text('description', 1000).optional().meta({ description: 'Invoice description.' }),
      request_id: text('request_id', 255)
        .optional()
        .meta({ description: "Merchant's own order ID; also the idempotency key." }),
    },
    'The body must be a JSON object.',
  )
  .meta({ id: 'CreateInvoice' });

/** Null and empty fields count as not supplied. */
export function supplied(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null && field !== ''));
}

export type CreateInvoiceBody = z.output<typeof createInvoiceBody>;

/** The input of `createInvoice` from a request body. */
export function toCreateInvoiceInput(store: AdmittedStore, body: CreateInvoiceBody): CreateInvoiceInput {
  return { store, ...toInvoiceFields(body) };
}

export function toInvoiceFields(body: Omit<CreateInvoiceBody, 'merchant_id'>): Omit<CreateInvoiceInput, 'store'> {
  return {
    amountUnits: body.amount,
    requestId: body.request_id ?? null,
    name: body.name ?? null,
    description: body.description ?? null,
    callbackUrl: body.callback_url ?? null,
    completedUrl: body.completed_url ?? null,
    expiredUrl: body.expired_url ?? null,
  };
}

const requestId = text('request_id', 255);

/** Every answer to a create request repeats its request_id, including refusals; undefined when invalid. */
export function echoedRequestId(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'request_id')) return undefined;
  const value: unknown = Reflect.get(body, 'request_id');
  const parsed = requestId.safeParse(value);
  return parsed.success && parsed.data !== '' ? parsed.data : undefined;
}

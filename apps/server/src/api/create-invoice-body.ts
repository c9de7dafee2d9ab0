import { requireDecimal } from '@counterfoil/core/amount.ts';
import type { Currency } from '@counterfoil/core/currency.ts';
import { CURRENCIES, CURRENCY_DECIMALS } from '@counterfoil/core/currency.ts';
import { USD_DECIMALS } from '@counterfoil/core/usd.ts';
import { z } from 'zod';
import { isRecord } from '../lib/record.ts';
import { findUrlFault, hasAtMost, isStorableText } from '../lib/text.ts';
import type { CreateInvoiceInput } from '../invoices/create-invoice.ts';
import type { Metadata } from '../invoices/metadata.ts';
import { findMetadataFault, MAX_METADATA } from '../invoices/metadata.ts';
import { LIFETIME_MINUTES as LIFETIME } from '../stores/store.ts';
import type { AdmittedStore } from '../stores/store-for-key.ts';

const MAX_AMOUNT_UNITS = 1_000_000n * 10n ** BigInt(USD_DECIMALS);
const MAX_METHODS = 100;
const AMOUNT = /^(0|[1-9]\d{0,6})(\.\d{1,8})?$/;

const AMOUNT_FAULT = 'amount must be a plain decimal greater than 0 and at most 1000000, with at most 8 decimals.';

/** The amount in OpenAPI, for the text before and the number after the transform. */
const AMOUNT_SHOWN = {
  type: ['number', 'string'],
  description: 'Payment amount in USD, greater than 0 and at most 1,000,000, as a number or a numeric string.',
  examples: ['50.00', 50],
};

const required = (field: string) => `${field} is required.`;

/** Units of 10^-8 USD; 0 when invalid. */
function parseAmount(written: string): bigint {
  const units = AMOUNT.test(written) ? requireDecimal(written, USD_DECIMALS) : 0n;
  return units <= MAX_AMOUNT_UNITS ? units : 0n;
}

/** Parses a text; 0 when it is invalid, for which the fault is the message. */
type AmountRule = { parse: (written: string) => bigint; fault: string };

/** An amount as a text, in units greater than 0. */
function amountOf({ parse, fault }: AmountRule) {
  return z
    .string({
      error: (issue) =>
        issue.input === undefined ? required('amount') : 'amount must be a number or a numeric string.',
    })
    .meta(AMOUNT_SHOWN)
    .transform((written, context) => {
      const units = parse(written);
      if (units > 0n) return units;
      context.addIssue(fault);
      return z.NEVER;
    })
    .meta(AMOUNT_SHOWN);
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

export const createInvoiceBody = z
  .object(
    {
      merchant_id: z
        .string({
          error: (issue) => (issue.input === undefined ? required('merchant_id') : 'merchant_id must be a string.'),
        })
        .meta({ description: "Store's merchant code. Must match the store of the API key.", minLength: 1 }),
      amount: amountOf({ parse: parseAmount, fault: AMOUNT_FAULT }),
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

const { keys, keyCharacters, valueCharacters } = MAX_METADATA;

/** What is wrong with the list of an invoice's payment methods, if anything: one fault, however long the list is. */
function findMethodsFault(methods: unknown, offered: ReadonlySet<string>): string | undefined {
  if (!Array.isArray(methods) || methods.length === 0 || !methods.every((method) => typeof method === 'string'))
    return 'methods must be a list of payment methods, such as BSC:USDT.';
  if (methods.length > MAX_METHODS) return `methods may name at most ${MAX_METHODS} payment methods.`;
  if (methods.every((method) => offered.has(method))) return undefined;
  return 'methods may name only payment methods that a store of this mode can offer, such as BSC:USDT.';
}

/** Fields beyond the contract. `offered` are the payment methods that a store of this mode can have. */
const newerFields = (offered: ReadonlySet<string>) => ({
  currency: z
    .enum(CURRENCIES, `currency must be one of ${CURRENCIES.join(', ')}.`)
    .optional()
    .meta({
      description:
        'The currency of `amount`, by its ISO 4217 code. The invoice is in USD, at the rate of its creation.',
    }),
  lifetime_minutes: z
    .custom<number>(
      (value) => Number.isInteger(value) && Number(value) >= LIFETIME.minimum && Number(value) <= LIFETIME.maximum,
      `lifetime_minutes must be a whole number from ${LIFETIME.minimum} to ${LIFETIME.maximum}.`,
    )
    .optional()
    .meta({
      description: 'How long the invoice can be paid; by default, as the store is set.',
      type: 'integer',
      minimum: LIFETIME.minimum,
      maximum: LIFETIME.maximum,
      example: 60,
    }),
  metadata: z
    .custom<Metadata>()
    .superRefine((value, context) => {
      const fault = value === undefined ? undefined : findMetadataFault(value);
      if (fault !== undefined) context.addIssue(`metadata ${fault}`);
    })
    .optional()
    .meta({
      description: 'Your own texts by name, returned by lookups, lists and events.',
      type: 'object',
      maxProperties: keys,
      propertyNames: { minLength: 1, maxLength: keyCharacters },
      additionalProperties: { type: 'string', maxLength: valueCharacters },
      example: { cart: '7d1f', table: '12' },
    }),
  methods: z
    .custom<string[]>()
    .superRefine((methods, context) => {
      const fault = methods === undefined ? undefined : findMethodsFault(methods, offered);
      if (fault !== undefined) context.addIssue(fault);
    })
    .optional()
    .meta({
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      maxItems: MAX_METHODS,
      description: 'The only payment methods that the checkout offers; by default, all of the store.',
      example: ['BSC:USDT', 'TRC20:USDT'],
    }),
});

/** The body of a create request, with the fields beyond the contract. */
const createInvoiceBodyFor = (offered: ReadonlySet<string>) => createInvoiceBody.extend(newerFields(offered));

/** How an amount is written, with the decimals of its currency; the contract's rule without one and in USD. */
export function amountRuleOf(currency: Currency | undefined): AmountRule {
  if (currency === undefined || currency === 'USD') return { parse: parseAmount, fault: AMOUNT_FAULT };
  const decimals = CURRENCY_DECIMALS[currency];
  const pattern = new RegExp(`^(0|[1-9]\\d{0,11})${decimals === 0 ? '' : `(\\.\\d{1,${decimals}})?`}$`);
  const fault = `amount in ${currency} must be a plain decimal greater than 0, with at most 12 digits before the point and ${decimals} after it.`;
  const parse = (written: string): bigint => (pattern.test(written) ? requireDecimal(written, decimals) : 0n);
  return { parse, fault };
}

type CreateBodies = (currency: unknown) => ReturnType<typeof createInvoiceBodyFor>;

/** The body for each currency that a request may name. */
export function createBodies(offered: ReadonlySet<string>): CreateBodies {
  const contract = createInvoiceBodyFor(offered);
  const bodies = new Map<unknown, typeof contract>(
    CURRENCIES.map((currency) => [currency, contract.extend({ amount: amountOf(amountRuleOf(currency)) })]),
  );
  return (currency) => bodies.get(currency) ?? contract;
}

/** Null and empty fields count as not supplied. */
export function supplied(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null && field !== ''));
}

type ContractBody = z.output<typeof createInvoiceBody>;
export type CreateInvoiceBody = z.output<ReturnType<typeof createInvoiceBodyFor>>;
type NewerField = 'currency' | 'lifetime_minutes' | 'metadata' | 'methods';

/** The input of `createInvoice` from a request body. */
export function toCreateInvoiceInput(store: AdmittedStore, body: CreateInvoiceBody): CreateInvoiceInput {
  return { store, ...toInvoiceFields(body) };
}

export function toInvoiceFields(
  body: Omit<ContractBody, 'merchant_id'> & { [Name in NewerField]?: CreateInvoiceBody[Name] },
): Omit<CreateInvoiceInput, 'store'> {
  return {
    amount: { currency: body.currency ?? null, units: body.amount },
    requestId: body.request_id ?? null,
    name: body.name ?? null,
    description: body.description ?? null,
    callbackUrl: body.callback_url ?? null,
    completedUrl: body.completed_url ?? null,
    expiredUrl: body.expired_url ?? null,
    lifetimeMinutes: body.lifetime_minutes ?? null,
    metadata: body.metadata ?? null,
    methods: body.methods ? [...new Set(body.methods)] : null,
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

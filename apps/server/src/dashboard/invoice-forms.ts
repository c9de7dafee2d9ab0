import { z } from 'zod';
import { INVOICE_STATUSES } from '../invoices/invoice.ts';
import { MOMENTS } from '../invoices/invoice-timeline.ts';
import { MATCHES } from '../invoices/search.ts';
import { seconds } from './answer-parts.ts';

const status = z.enum(INVOICE_STATUSES);
const text = z.string().nullable();
const moment = seconds.nullable();
const next = text.describe(
  'Where the next page begins; null when there is none. A page may be short, even empty, and still have a next one: each request looks at a bounded number of rows.',
);
const callbackStatus = z.enum(['success', 'failed']).nullable();
const mode = z.enum(['live', 'test']);
const late = z.boolean().describe('Whether it was completed by money that came, or was found, after its end');
const cancelled = z.boolean().describe('Whether it ended because it was cancelled');
const arrived = z.boolean().describe('Whether it expired although money came that was meant for it');

const priced = {
  currency: text.describe('The currency in which it was priced; null when none was supplied'),
  currency_amount: text,
};

const listed = z.strictObject({
  trans_id: z.string(),
  store: z.string(),
  mode,
  request_id: text,
  status,
  late,
  cancelled,
  arrived,
  amount: z.string().describe('USD'),
  ...priced,
  name: text,
  created_at: seconds,
  expires_at: seconds,
  network: text,
  token: text,
  token_amount: text,
  transaction_hash: text,
  callback_status: callbackStatus,
});

const result = z.strictObject({
  matched: z.enum(MATCHES).describe('How it was found'),
  trans_id: text,
  store: text,
  status: text,
  request_id: text,
  name: text,
  event: text,
  network: text,
  transaction: text,
  token: text,
  token_amount: text,
  transfer: text.describe('The transfer, where it is unmatched'),
  at: seconds,
});

const evidence = z.strictObject({ by: text, how: text, at: seconds });

const invoice = z.strictObject({
  trans_id: z.string(),
  store: z.string(),
  mode,
  request_id: text,
  status,
  late,
  amount: z.string(),
  ...priced,
  exchange_rate: text.describe('USD for one unit of the currency, at creation'),
  rate_evidence: z.unknown().describe('What each source of exchange rates had reported, and the reference rate'),
  name: text,
  description: text,
  callback_url: text,
  completed_url: text,
  expired_url: text,
  url_payment: text.describe('The page where it is paid; null where the address of these pages is not configured'),
  created_at: seconds,
  expires_at: seconds,
  settled_at: moment,
  ended_at: moment,
  cancelled_at: moment.describe('When its merchant cancelled it, also if it was paid after all'),
  transaction_hash: text,
  from_address: text,
  callback_status: callbackStatus,
  waits_for: z
    .strictObject({ network: z.string(), tier: text })
    .nullable()
    .describe('The network that must be read past its end before it expires'),
});

const quote = z.strictObject({
  network: z.string(),
  token: z.string(),
  to_address: z.string(),
  token_amount: z.string(),
  token_price: z.string(),
  created_at: seconds,
  settles_by: z.string().describe('The rule of depth that settles a payment'),
  shown: z.boolean().describe('Whether it is the one that the invoice shows'),
  price_sources: z.unknown().describe('What each source of prices said, and when'),
});

const transfer = z.strictObject({
  transfer: z.string(),
  network: z.string(),
  transaction: z.string(),
  index: z.string(),
  token: z.string(),
  token_amount: text,
  from_address: z.string(),
  to_address: z.string(),
  height: z.number(),
  confirmations: z.int().nullable(),
  block_time: seconds,
  canonical: z.boolean().describe('Whether it stands in the chain'),
  pays: z.boolean(),
  completed: z.boolean().describe('Whether it is the payment that completed the invoice'),
  reason: text.describe('Why it pays nothing'),
  first_read: evidence,
  proof: evidence.nullable(),
  accepted_by: text,
  attached_by: text,
  named_by: text,
  missing_since: moment,
});

const attempt = z.strictObject({
  number: z.int(),
  at: seconds,
  duration_ms: z.int(),
  status: z.int().nullable(),
  error: text,
});

const audited = { at: seconds, actor: z.string(), action: z.string(), details: z.unknown() };

const history = z.strictObject({
  invoice,
  quotes: z.array(quote),
  transfers: z.array(transfer),
  named_transactions: z.array(
    z.strictObject({
      network: z.string(),
      transaction: z.string(),
      named_by: z.string(),
      named_at: seconds,
      outcome: text,
    }),
  ),
  fees: z.array(z.strictObject({ kind: z.string(), amount: z.string(), at: seconds })).nullable(),
  events: z.array(z.strictObject({ event: z.string(), type: z.string(), created_at: seconds })),
  deliveries: z
    .array(
      z.strictObject({
        event: z.string(),
        url: z.string(),
        state: z.string(),
        next_attempt_at: moment,
        attempts: z.array(attempt),
      }),
    )
    .nullable(),
  audit: z.array(z.strictObject(audited)).nullable(),
  timeline: z.array(z.strictObject({ at: seconds, kind: z.enum(MOMENTS), subject: text, note: text })),
});

export const INVOICE_FORMS: Readonly<Record<string, z.ZodType>> = {
  'GET /accounts/:account/invoices': z.strictObject({ invoices: z.array(listed), next }),
  'GET /accounts/:account/search': z.strictObject({ results: z.array(result) }),
  'GET /accounts/:account/invoices/:invoice': history,
  'POST /accounts/:account/stores/:store/invoices': z.strictObject({
    trans_id: z.string(),
    status,
    amount: z.string(),
    ...priced,
    url_payment: text,
    expires_in_minutes: z.int(),
    new: z.boolean().describe('False when the request_id was used before; the answer is about the invoice of then'),
  }),
  'POST /accounts/:account/invoices/:invoice/cancel': z.strictObject({
    trans_id: z.string(),
    status,
    cancelled_at: moment.describe('Null while a worker has not decided yet'),
  }),
  'POST /accounts/:account/invoices/:invoice/test-payment': z.strictObject({
    acts: z.array(
      z.strictObject({
        act: z.string(),
        due_at: seconds,
        done: z.boolean().nullable().describe('Whether it could be done; null until a worker has tried'),
        note: text.describe('Why nothing could be done'),
      }),
    ),
  }),
  'GET /accounts/:account/changes': z.strictObject({
    invoices: z.array(
      z.strictObject({ trans_id: z.string(), status, late, cancelled, arrived, callback_status: callbackStatus }),
    ),
  }),
  'GET /accounts/:account/audit': z.strictObject({
    entries: z.array(z.strictObject({ ...audited, subject: z.string() })),
    next,
  }),
};

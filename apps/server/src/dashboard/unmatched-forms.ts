import { z } from 'zod';
import { seconds } from './answer-parts.ts';

const attachment = z.strictObject({
  attachment: z.string(),
  transfer: z.string(),
  invoice: z.string(),
  state: z.enum(['asked', 'done', 'refused', 'failed']).describe('asked: a worker has not decided yet'),
  fault: z.string().nullable().describe('Why it was not attached'),
  asked_at: seconds,
  decided_at: seconds.nullable(),
});

const suggestion = z.strictObject({
  invoice: z.string(),
  store: z.string(),
  name: z.string().nullable(),
  request_id: z.string().nullable(),
  status: z.string(),
  amount_usd: z.string(),
  reasons: z.array(z.string()),
  difference: z.string().nullable().describe('What arrived less what was asked for; null where tokens differ'),
});

const claim = z.strictObject({
  invoice: z.string(),
  name: z.string().nullable(),
  request_id: z.string().nullable(),
  status: z.string(),
  at: seconds,
});

const transfer = z.strictObject({
  transfer: z.string(),
  network: z.string(),
  transaction: z.string(),
  index: z.string(),
  token: z.string(),
  amount: z.string().nullable().describe('Null where this server does not know the token'),
  from: z.string(),
  to: z.string(),
  at: seconds,
  reason: z.string().describe('Why it pays nothing'),
  named_by: z.string().nullable(),
  invoice: z.string().nullable().describe('The invoice that it was meant for, as far as known'),
  invoice_status: z.string().nullable(),
  note: z.string().nullable().describe('Of whoever put it aside'),
  asked_for: z.string().nullable().describe('The invoice to which somebody has asked to attach it'),
  claims: z.array(claim).describe('Invoices on whose pages its transaction was submitted, the first one first'),
  suggestions: z.array(suggestion).describe('The likeliest first'),
});

export const UNMATCHED_FORMS: Readonly<Record<string, z.ZodType>> = {
  'GET /accounts/:account/unmatched': z.strictObject({
    transfers: z.array(transfer),
    more: z.boolean(),
    next: z.string().nullable(),
  }),
  'POST /accounts/:account/unmatched/:transfer/attach': attachment,
  'GET /accounts/:account/attachments/:attachment': attachment,
};

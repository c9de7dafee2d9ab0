import { z } from 'zod';
import { seconds } from './answer-parts.ts';

const state = z.enum(['pending', 'delivered', 'failed']);
const type = z.string().describe('The type of the event, such as `invoice.completed`');
const byHand = z.boolean().describe('Whether somebody asked for it');
const endpoint = z.string().nullable().describe('The code of the webhook endpoint; null for a callback URL');
const attempt = {
  at: seconds,
  status: z.int().nullable().describe('The HTTP status; null where no answer came'),
  error: z.string().nullable(),
  duration_ms: z.int(),
};

const delivery = z.strictObject({
  delivery: z.string(),
  store: z.string(),
  event: z.string(),
  type,
  url: z.string(),
  endpoint,
  state,
  by_hand: byHand,
  attempts: z.int(),
  created_at: seconds,
  next_attempt_at: seconds.nullable(),
  last_attempt: z.strictObject(attempt).nullable(),
});

const event = z.strictObject({
  event: z.string(),
  store: z.string(),
  type,
  sequence: z.int(),
  created_at: seconds,
  invoice: z.string().nullable(),
  body: z.string().nullable().describe('As it is sent, byte for byte; null once it was erased for its age'),
  headers: z
    .record(z.string(), z.string())
    .describe('What is sent with each attempt, besides its time and its signature'),
  deliveries: z.array(
    z.strictObject({
      delivery: z.string(),
      url: z.string(),
      endpoint,
      can_be_sent: z.boolean().describe('False where its webhook endpoint was disabled or deleted'),
      state,
      by_hand: byHand,
      created_at: seconds,
      next_attempt_at: seconds.nullable(),
      attempts: z.array(z.strictObject({ number: z.int(), ...attempt, excerpt: z.string().nullable() })),
    }),
  ),
});

export const DELIVERY_FORMS: Readonly<Record<string, z.ZodType>> = {
  'GET /accounts/:account/deliveries': z.strictObject({
    deliveries: z.array(delivery),
    more: z.boolean().describe('Whether there may be more: a page can be short, or empty, and more follow'),
    next: z.string().nullable().describe('Where the next page begins; null when there is none'),
  }),
  'GET /accounts/:account/events/:event': event,
  'POST /accounts/:account/events/:event/redeliver': z.strictObject({ redelivered: z.int() }),
  'POST /accounts/:account/stores/:store/replay': z.strictObject({
    redelivered: z.int().describe('How many events are sent again, or would be'),
    erased: z.int().describe('How many are too old'),
    pending: z.int().describe('How many are being sent already'),
  }),
  'POST /accounts/:account/stores/:store/webhook-test': z.strictObject({ event: z.string() }),
};

import { z } from 'zod';
import { seconds } from './answer-parts.ts';

const usd = z.string().describe('USD, with at least two decimals');

const topup = z.strictObject({
  topup: z.string(),
  amount: usd,
  state: z
    .enum(['opening', 'open', 'ended', 'credited', 'failed'])
    .describe('Ended and failed ones are credited all the same when they are paid'),
  url_payment: z.string().nullable().describe('The checkout; null until the invoice is made'),
  expires_at: seconds.nullable(),
  credited_at: seconds.nullable(),
  requested_by: z.string().describe('The code of a person'),
  created_at: seconds,
});

const STORE = '/accounts/:account/stores/:store';

export const BALANCE_FORMS: Readonly<Record<string, z.ZodType>> = {
  [`GET ${STORE}/balance`]: z.strictObject({
    available: usd.describe('What the store can spend on fees; below zero after late payments'),
    held: usd.describe('Fees of open invoices'),
    held_is_partial: z.boolean().describe('Whether there are more open invoices than were summed'),
    overdraft: usd.describe('How far below zero it may stand'),
    low_balance: usd
      .nullable()
      .describe('Members are told when less is available; null: when it lasts a few more days only'),
    top_ups_offered: z.boolean(),
  }),
  [`PATCH ${STORE}/balance`]: z.strictObject({ low_balance: usd.nullable() }),
  [`GET ${STORE}/statement`]: z.strictObject({
    entries: z.array(
      z.strictObject({
        kind: z.enum(['credit', 'debit', 'topup']),
        amount: usd,
        note: z.string().nullable(),
        topup: z.string().nullable(),
        at: seconds,
      }),
    ),
    next: z.string().nullable(),
  }),
  [`POST ${STORE}/topups`]: topup,
  [`GET ${STORE}/topups/:topup`]: topup,
};

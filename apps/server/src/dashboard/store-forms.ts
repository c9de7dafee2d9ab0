import { z } from 'zod';
import { seconds } from './answer-parts.ts';

const store = { merchant_id: z.string(), mode: z.enum(['live', 'test']) };
const settings = {
  name: z.string(),
  lifetime_minutes: z.int(),
  grace_minutes: z.int().describe('How long after its end an invoice still completes by an exact payment'),
  https_callbacks_only: z.boolean(),
};
const standing = {
  state: z.enum(['current', 'ending', 'ended']),
  created_at: seconds,
  ends_at: seconds.nullable().describe('When it ends or ended; null without an end'),
};
const apiKey = z.strictObject({
  api_key_hint: z.string(),
  ...standing,
  last_used_at: seconds.nullable(),
  days: z
    .array(z.strictObject({ day: z.string(), calls: z.int() }))
    .describe('Calls by day in UTC, the newest first; a few seconds late'),
});
const brand = z.strictObject({
  display_name: z.string().nullable(),
  accent: z.string().nullable(),
  support_url: z.string().nullable(),
  support_email: z.string().nullable(),
  logo: z.string().nullable().describe('The file name under /bill/logo/ at the checkout'),
});
const shownKey = z.strictObject({ api_key: z.string() });
const shownSecret = z.strictObject({ webhook_secret: z.string() });
const BASE = '/accounts/:account/stores/:store';

export const STORE_FORMS: Readonly<Record<string, z.ZodType>> = {
  'GET /accounts/:account/stores': z.strictObject({
    stores: z.array(
      z.strictObject({ ...store, name: z.string(), active: z.boolean(), api_key_hint: z.string().nullable() }),
    ),
  }),
  'POST /accounts/:account/stores': z.strictObject(store),
  [`GET ${BASE}`]: z.strictObject({
    ...store,
    ...settings,
    active: z.boolean(),
    created_at: seconds,
    api_keys: z.array(apiKey).describe('The newest first; at most two of them work'),
    webhook_secrets: z.array(z.strictObject(standing)).describe('The newest first; at most two of them sign'),
  }),
  [`PATCH ${BASE}`]: z.strictObject(settings),
  [`POST ${BASE}/activity`]: z.strictObject({ active: z.boolean() }),
  [`GET ${BASE}/brand`]: brand,
  [`PUT ${BASE}/brand`]: brand,
  [`POST ${BASE}/key/reveal`]: shownKey,
  [`POST ${BASE}/key`]: shownKey,
  [`POST ${BASE}/key/end-old`]: z.strictObject({ ended: z.array(z.string()) }),
  [`POST ${BASE}/webhook-secret/reveal`]: shownSecret,
  [`POST ${BASE}/webhook-secret`]: shownSecret,
};

import { ENDPOINT_EVENT_TYPES } from '@counterfoil/core/event-type.ts';
import { z } from 'zod';
import { seconds } from './answer-parts.ts';

const BASE = '/accounts/:account/stores/:store/endpoints';
const shownSecret = z.strictObject({ webhook_secret: z.string() });

const endpoint = z.strictObject({
  endpoint: z.string().describe('The code of the endpoint'),
  url: z.string(),
  types: z.array(z.enum(ENDPOINT_EVENT_TYPES)),
  created_at: seconds,
  disabled_at: seconds.nullable(),
  failing_since: seconds.nullable().describe('Since when no attempt has succeeded; null if the latest one did'),
  old_secret_ends_at: seconds.nullable().describe('When an earlier secret stops signing; null if only one signs'),
});

export const ENDPOINT_FORMS: Readonly<Record<string, z.ZodType>> = {
  [`GET ${BASE}`]: z.strictObject({
    endpoints: z.array(endpoint),
    most: z.int().describe('How many a store can have'),
  }),
  [`POST ${BASE}`]: z.strictObject({ endpoint: z.string(), webhook_secret: z.string() }),
  [`POST ${BASE}/:endpoint/secret/reveal`]: shownSecret,
  [`POST ${BASE}/:endpoint/secret`]: shownSecret,
  [`POST ${BASE}/:endpoint/test`]: z.strictObject({ event: z.string() }),
};

import { z } from 'zod';

/** A browser's passkey answer. Additional fields are dropped; the library checks the rest. */

const MAX_TEXT = 8_192;
const MAX_ID = 1_400;
const MAX_TRANSPORTS = 10;
const MAX_TRANSPORT = 20;
const text = z.string().max(MAX_TEXT);
const id = z
  .string()
  .regex(/^[A-Za-z0-9_-]+$/)
  .max(MAX_ID);

/** The answer to a passkey request. */
export const assertion = z.object({
  id,
  rawId: id,
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}),
  response: z.object({
    clientDataJSON: text,
    authenticatorData: text,
    signature: text,
    userHandle: text.optional(),
  }),
});
/** The answer to the creation of a passkey. */
export const attestation = z.object({
  id,
  rawId: id,
  type: z.literal('public-key'),
  clientExtensionResults: z.object({}),
  response: z.object({
    clientDataJSON: text,
    attestationObject: text,
    transports: z.array(z.string().max(MAX_TRANSPORT)).max(MAX_TRANSPORTS).optional(),
  }),
});

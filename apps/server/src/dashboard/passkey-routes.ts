import { unixSeconds } from '../lib/clock.ts';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { addPasskey } from '../people/add-passkey.ts';
import { askPasskey, MAX_PASSKEYS } from '../people/ask-passkey.ts';
import { beginPasskey } from '../people/begin-passkey.ts';
import { listPasskeys } from '../people/passkey-sql.ts';
import { removePasskey } from '../people/remove-passkey.ts';
import { signInByPasskey } from '../people/sign-in-by-passkey.ts';
import { stepUpByPasskey } from '../people/step-up-by-passkey.ts';
import { assertion, attestation } from './passkey-answer.ts';
import type { DashboardRoute } from './route.ts';
import { NOTHING, personRoute, visitorRoute } from './route.ts';
import { giveSession, giveToken, tokenOf } from './signed-in-request.ts';

/** Routes about passkeys: options for the browser, and the device's answer. */

const MAX_NAME = 60;
const newPasskey = z.strictObject({ answer: attestation, name: z.string().trim().min(1).max(MAX_NAME) });
const answered = z.strictObject({ answer: assertion });

export const passkeyRoutes: readonly DashboardRoute[] = [
  visitorRoute(
    { method: 'POST', url: '/session/passkey/options', summary: 'Ask for a passkey to sign in', body: NOTHING },
    async ({ context, visitor }) => askPasskey(context, visitor),
  ),
  visitorRoute(
    { method: 'POST', url: '/session/passkey/verify', summary: 'Sign in by passkey', body: answered },
    async ({ context, visitor, request, reply, input }) => {
      const response = input.answer as AuthenticationResponseJSON;
      const token = await signInByPasskey(context, visitor, { response, present: tokenOf(context, request) });
      await giveSession(context, visitor, reply, token);
      return { next: 'done' };
    },
  ),
  personRoute(
    { method: 'POST', url: '/session/step-up/options', summary: 'Ask for a passkey to step up', body: NOTHING },
    async ({ context, person }) => askPasskey(context, person),
  ),
  personRoute(
    { method: 'POST', url: '/session/step-up/verify', summary: 'Step up by passkey', body: answered },
    async ({ context, person, reply, input }) => {
      const token = await stepUpByPasskey(context, person, input.answer as AuthenticationResponseJSON);
      giveToken(context, reply, token);
    },
  ),
  personRoute(
    { method: 'POST', url: '/me/passkeys/options', summary: 'Begin a passkey', body: NOTHING },
    async ({ context, person }) => beginPasskey(context, person),
  ),
  personRoute(
    { method: 'POST', url: '/me/passkeys/verify', summary: 'Add a passkey', body: newPasskey },
    async ({ context, person, reply, input: { answer, name } }) => {
      const response = answer as RegistrationResponseJSON;
      const { recoveryCodes, token } = await addPasskey(context, person, { response, name });
      giveToken(context, reply, token);
      return { recovery_codes: recoveryCodes };
    },
  ),
  personRoute(
    { method: 'GET', url: '/me/passkeys', summary: 'List the own passkeys' },
    async ({ context: { database }, person }) => {
      const passkeys = await listPasskeys(database.queries, person.id, MAX_PASSKEYS);
      return {
        passkeys: passkeys.map((one) => ({
          passkey: String(one.id),
          name: one.name,
          backed_up: one.backedUp,
          created_at: unixSeconds(one.createdAt),
          last_used_at: one.lastUsedAt && unixSeconds(one.lastUsedAt),
        })),
      };
    },
  ),
  personRoute(
    { method: 'DELETE', url: '/me/passkeys/:passkey', summary: 'Remove one of the own passkeys' },
    async ({ context, person, path: { passkey = '' } }) => {
      await removePasskey(context, person, /^\d{1,18}$/.test(passkey) ? BigInt(passkey) : 0n);
    },
  ),
];

import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { askPasskeyFactor } from '../people/ask-passkey-factor.ts';
import { endSession } from '../people/end-session.ts';
import { giveFactor } from '../people/give-factor.ts';
import { PASSWORD_LENGTH } from '../people/password.ts';
import { signIn } from '../people/sign-in.ts';
import { stepUp } from '../people/step-up.ts';
import { DashboardError } from './dashboard-error.ts';
import { assertion } from './passkey-answer.ts';
import type { DashboardRoute } from './route.ts';
import { NOTHING, personRoute, visitorRoute } from './route.ts';
import { clearSessionCookie } from './session-cookie.ts';
import { giveSession, giveToken, tokenOf } from './signed-in-request.ts';

/** Routes to sign in, sign out and step up. */

const MAX_CODE = 40;
const MAX_MAIL = 254;
const password = z
  .string()
  .min(1)
  .max(4 * PASSWORD_LENGTH.maximum);
const code = z.string().min(1).max(MAX_CODE);

const signInBody = z.strictObject({ mail: z.string().min(1).max(MAX_MAIL), password });
const factorBody = z.union([
  z.strictObject({ totp: code }),
  z.strictObject({ recovery: code }),
  z.strictObject({ answer: assertion }),
]);
const stepUpBody = z.strictObject({ password, totp: code.optional() });

/** An email address in compared form. */
const normalMail = (written: string) => written.trim().toLowerCase();

export const sessionRoutes: readonly DashboardRoute[] = [
  visitorRoute(
    { method: 'POST', url: '/session', summary: 'Sign in by password', body: signInBody },
    async ({ context, visitor, request, reply, input }) => {
      const { mail, password: typed } = input;
      const asked = { mailNormal: normalMail(mail), password: typed, present: tokenOf(context, request) };
      const { token, half, methods } = await signIn(context, visitor, asked);
      if (half) giveToken(context, reply, token);
      else await giveSession(context, visitor, reply, token);
      return { next: half ? 'factor' : 'done', methods };
    },
  ),
  visitorRoute(
    { method: 'POST', url: '/session/factor', summary: 'Complete a sign-in', body: factorBody },
    async ({ context, visitor, request, reply, input }) => {
      const token = tokenOf(context, request);
      if (token === undefined) throw new DashboardError('NOT_SIGNED_IN');
      const factor = 'answer' in input ? { passkey: input.answer as AuthenticationResponseJSON } : input;
      await giveSession(context, visitor, reply, await giveFactor(context, visitor, { token, factor }));
      return { next: 'done' };
    },
  ),
  visitorRoute(
    {
      method: 'POST',
      url: '/session/factor/options',
      summary: 'Ask for a passkey to complete a sign-in',
      body: NOTHING,
    },
    async ({ context, visitor, request }) => {
      const token = tokenOf(context, request);
      if (token === undefined) throw new DashboardError('NOT_SIGNED_IN');
      return askPasskeyFactor(context, visitor, token);
    },
  ),
  personRoute(
    { method: 'POST', url: '/session/step-up', summary: 'Prove again who you are', body: stepUpBody },
    async ({ context, person, reply, input }) => {
      giveToken(context, reply, await stepUp(context, person, input));
    },
  ),
  visitorRoute(
    { method: 'DELETE', url: '/session', summary: 'Sign out' },
    async ({ context, visitor, request, reply }) => {
      const token = tokenOf(context, request);
      if (token !== undefined) await endSession(context, visitor, token);
      reply.header('set-cookie', clearSessionCookie(context.dashboardUrl));
    },
  ),
];

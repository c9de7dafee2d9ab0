import { LANGUAGE_CODES } from '@counterfoil/core/language.ts';
import { z } from 'zod';
import { forgotPassword } from '../people/forgot-password.ts';
import { keepFactors } from '../people/keep-factors.ts';
import { PASSWORD_LENGTH } from '../people/password.ts';
import { setPassword } from '../people/set-password.ts';
import { signUp } from '../people/sign-up.ts';
import { verifySignUp } from '../people/verify-sign-up.ts';
import { linkBody, linkToken } from './link-field.ts';
import { mailField } from './mail-field.ts';
import type { DashboardRoute } from './route.ts';
import { visitorRoute } from './route.ts';
import { giveSession, tokenOf } from './signed-in-request.ts';

/** Routes for users who cannot sign in, and for links in emails. None reveals whether an account exists. */

const MAX_NAME = 100;
const password = z
  .string()
  .min(1)
  .max(4 * PASSWORD_LENGTH.maximum);

const signUpBody = z.strictObject({
  mail: mailField,
  name: z.string().trim().min(1).max(MAX_NAME),
  language: z.enum(LANGUAGE_CODES),
  password,
});
const verifyBody = z.strictObject({ token: linkToken, password });

export const registrationRoutes: readonly DashboardRoute[] = [
  visitorRoute(
    { method: 'POST', url: '/sign-up', summary: 'Sign up', body: signUpBody },
    async ({ context, visitor, input }) => {
      await signUp(context, visitor, input);
    },
  ),
  visitorRoute(
    { method: 'POST', url: '/verify', summary: 'Prove the mail address of a sign-up', body: verifyBody, byLink: true },
    async ({ context, visitor, request, reply, input }) => {
      const present = tokenOf(context, request);
      await giveSession(context, visitor, reply, await verifySignUp(context, visitor, { ...input, present }));
    },
  ),
  visitorRoute(
    {
      method: 'POST',
      url: '/forgot',
      summary: 'Ask for a link for a new password',
      body: z.strictObject({ mail: mailField }),
    },
    async ({ context, visitor, input }) => {
      await forgotPassword(context, visitor, input.mail);
    },
  ),
  visitorRoute(
    {
      method: 'POST',
      url: '/reset',
      summary: 'Set a password by a link',
      body: z.strictObject({ token: linkToken, password }),
      byLink: true,
    },
    async ({ context, visitor, input }) => {
      await setPassword(context, visitor, input);
    },
  ),
  visitorRoute(
    { method: 'POST', url: '/keep-factors', summary: 'Stop a reset of second factors', body: linkBody, byLink: true },
    async ({ context, visitor, input }) => {
      await keepFactors(context, visitor, input.token);
    },
  ),
];

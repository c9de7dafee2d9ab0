import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import { unixSeconds } from '../lib/clock.ts';
import { askUndoPasskey } from '../takeovers/ask-undo-passkey.ts';
import { openUndo } from '../takeovers/open-undo.ts';
import { requestRestore } from '../takeovers/request-restore.ts';
import { restoreCredentials } from '../takeovers/restore-credentials.ts';
import { stopRestore } from '../takeovers/stop-restore.ts';
import { linkBody, linkToken } from './link-field.ts';
import { assertion } from './passkey-answer.ts';
import type { DashboardRoute } from './route.ts';
import { visitorRoute } from './route.ts';

/** Routes of links that undo account changes. None signs anyone in. */

const MAX_CODE = 40;
const code = z.string().min(1).max(MAX_CODE);
const factorBody = z.union([
  z.strictObject({ token: linkToken, totp: code }),
  z.strictObject({ token: linkToken, recovery: code }),
  z.strictObject({ token: linkToken, answer: assertion }),
]);

export const takeoverRoutes: readonly DashboardRoute[] = [
  visitorRoute(
    {
      method: 'POST',
      url: '/undo',
      summary: 'Open an undo link: end all sessions of its user and lock the payment methods of their merchants',
      body: linkBody,
      byLink: true,
    },
    async ({ context, visitor, input }) => {
      const { effectiveAt, ...opened } = await openUndo(context, visitor, input.token);
      return { ...opened, effective_at: effectiveAt && unixSeconds(effectiveAt) };
    },
  ),
  visitorRoute(
    {
      method: 'POST',
      url: '/undo/restore',
      summary: 'Restore earlier credentials by an earlier two-factor method',
      body: factorBody,
      byLink: true,
    },
    async ({ context, visitor, input: { token, ...given } }) => {
      const factor = 'answer' in given ? { passkey: given.answer as AuthenticationResponseJSON } : given;
      await restoreCredentials(context, visitor, { token, factor });
    },
  ),
  visitorRoute(
    {
      method: 'POST',
      url: '/undo/passkey/options',
      summary: 'Ask for an earlier passkey',
      body: linkBody,
      byLink: true,
    },
    async ({ context, visitor, input }) => askUndoPasskey(context, visitor, input.token),
  ),
  visitorRoute(
    {
      method: 'POST',
      url: '/undo/request',
      summary: 'Request a restore that takes effect after a day',
      body: linkBody,
      byLink: true,
    },
    async ({ context, visitor, input }) => ({
      effective_at: unixSeconds(await requestRestore(context, visitor, input.token)),
    }),
  ),
  visitorRoute(
    { method: 'POST', url: '/undo/stop', summary: 'Stop a pending restore', body: linkBody, byLink: true },
    async ({ context, visitor, input }) => {
      await stopRestore(context, visitor, input.token);
    },
  ),
];

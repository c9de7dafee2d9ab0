import { LANGUAGE_CODES } from '@counterfoil/core/language.ts';
import { unixSeconds } from '../lib/clock.ts';
import { z } from 'zod';
import { beginTotp } from '../people/begin-totp.ts';
import { changePassword } from '../people/change-password.ts';
import { chooseLanguage } from '../people/choose-language.ts';
import { confirmAddressChange } from '../people/confirm-address-change.ts';
import { confirmRecoveryCodes } from '../people/confirm-recovery-codes.ts';
import { confirmTotp } from '../people/confirm-totp.ts';
import { endOtherSession } from '../people/end-other-session.ts';
import { areCodesConfirmed, countRecoveryCodes } from '../people/factor-sql.ts';
import { listMemberships } from '../people/membership-sql.ts';
import { PASSWORD_LENGTH } from '../people/password.ts';
import { readPerson } from '../people/person-sql.ts';
import { removeTotp } from '../people/remove-totp.ts';
import { renewRecoveryCodes } from '../people/renew-recovery-codes.ts';
import { requestAddressChange } from '../people/request-address-change.ts';
import type { ListedSession } from '../people/session-sql.ts';
import { listSessions } from '../people/session-sql.ts';
import { keptSince } from '../people/security-event.ts';
import { listOwnEvents } from '../people/security-event-sql.ts';
import { linkBody } from './link-field.ts';
import { mailField } from './mail-field.ts';
import { mayOpenBusiness } from './open-business.ts';
import { PAGE_ROWS } from './paging.ts';
import type { DashboardRoute } from './route.ts';
import { NOTHING, personRoute } from './route.ts';
import { giveToken } from './signed-in-request.ts';
import { eventQuery, LAST_MOMENT, nextMoment, viewEvent } from './security-event-page.ts';

/** Routes about the signed-in user: two-factor methods, password, sessions. */

const MAX_CODE = 40;
const MAX_SESSIONS = 100;
const MAX_MEMBERSHIPS = 200;

const codeBody = z.strictObject({ totp: z.string().min(1).max(MAX_CODE) });
const recoveryBody = z.strictObject({ recovery: z.string().min(1).max(MAX_CODE) });
const passwordBody = z.strictObject({
  password: z
    .string()
    .min(1)
    .max(4 * PASSWORD_LENGTH.maximum),
});

const languageBody = z.strictObject({ language: z.enum(LANGUAGE_CODES) });
const mailBody = z.strictObject({ mail: mailField });

const viewSession = ({ code, createdAt, seenAt, address, agent, present }: ListedSession) => ({
  session: code,
  created_at: unixSeconds(createdAt),
  seen_at: unixSeconds(seenAt),
  address,
  agent,
  present,
});

const factorRoutes: readonly DashboardRoute[] = [
  personRoute(
    { method: 'POST', url: '/me/totp', summary: 'Begin an authenticator app', body: NOTHING },
    async ({ context, person }) => beginTotp(context, person),
  ),
  personRoute(
    { method: 'POST', url: '/me/totp/confirm', summary: 'Confirm an authenticator app', body: codeBody },
    async ({ context, person, reply, input }) => {
      const { recoveryCodes, token } = await confirmTotp(context, person, input.totp);
      giveToken(context, reply, token);
      return { recovery_codes: recoveryCodes };
    },
  ),
  personRoute(
    { method: 'DELETE', url: '/me/totp', summary: 'Remove the authenticator app' },
    async ({ context, person }) => {
      await removeTotp(context, person);
    },
  ),
  personRoute(
    { method: 'POST', url: '/me/recovery-codes', summary: 'Draw new recovery codes', body: NOTHING },
    async ({ context, person }) => ({ recovery_codes: await renewRecoveryCodes(context, person) }),
  ),
  personRoute(
    {
      method: 'POST',
      url: '/me/recovery-codes/confirm',
      summary: 'Confirm by one of the recovery codes that they are saved',
      body: recoveryBody,
    },
    async ({ context, person, input }) => {
      await confirmRecoveryCodes(context, person, input.recovery);
    },
  ),
  personRoute(
    { method: 'POST', url: '/me/password', summary: 'Change the password', body: passwordBody },
    async ({ context, person, input }) => {
      await changePassword(context, person, input.password);
    },
  ),
];

const addressRoutes: readonly DashboardRoute[] = [
  personRoute(
    { method: 'POST', url: '/me/email', summary: 'Ask for another mail address', body: mailBody },
    async ({ context, person, input }) => {
      await requestAddressChange(context, person, input.mail);
    },
  ),
  personRoute(
    { method: 'POST', url: '/me/email/confirm', summary: 'Prove the new mail address', body: linkBody },
    async ({ context, person, input }) => {
      await confirmAddressChange(context, person, input.token);
    },
  ),
];

export const meRoutes: readonly DashboardRoute[] = [
  personRoute({ method: 'GET', url: '/me', summary: 'Who is signed in' }, async ({ context, person, operatorRole }) => {
    const { database } = context;
    const { name, mail, language, hasFactor, hasTotp, hasPasskey } = await readPerson(database.queries, person.id);
    const memberships = await listMemberships(database.queries, person.id, MAX_MEMBERSHIPS);
    return {
      person: person.code,
      name,
      mail,
      language,
      operator_role: operatorRole,
      has_factor: hasFactor,
      has_totp: hasTotp,
      has_passkey: hasPasskey,
      recovery_codes_left: await countRecoveryCodes(database.queries, person.id),
      recovery_codes_confirmed: await areCodesConfirmed(database.queries, person.id),
      may_open_account: await mayOpenBusiness(context, person),
      elevated: person.elevated,
      accounts: memberships.map(({ merchantCode, merchantName, role, locked, waiting, twoFactorRequired }) => ({
        account: merchantCode,
        name: merchantName,
        role,
        waiting,
        locked,
        two_factor_required: twoFactorRequired,
      })),
    };
  }),
  personRoute(
    { method: 'PUT', url: '/me/language', summary: 'Choose the language of pages and mails', body: languageBody },
    async ({ context, person, input }) => {
      await chooseLanguage(context, person, input.language);
    },
  ),
  personRoute(
    { method: 'GET', url: '/me/sessions', summary: 'List the own sessions' },
    async ({ context: { database, clock }, person }) => {
      const now = new Date(clock.nowMs());
      const of = { personId: person.id, present: person.sessionHash, now, limit: MAX_SESSIONS };
      return { sessions: (await listSessions(database.queries, of)).map(viewSession) };
    },
  ),
  personRoute(
    { method: 'DELETE', url: '/me/sessions/:session', summary: 'End one of the own sessions' },
    async ({ context, person, path }) => {
      await endOtherSession(context, person, path['session'] ?? '');
    },
  ),
  personRoute(
    {
      method: 'GET',
      url: '/me/security-events',
      summary: 'List the own sign-ins and security events, the newest first',
      query: eventQuery,
    },
    async ({ context: { database, clock }, person, query: { after } }) => {
      const now = new Date(clock.nowMs());
      const page = { since: keptSince(now), before: after ?? LAST_MOMENT, limit: PAGE_ROWS };
      const events = await listOwnEvents(database.queries, person.id, page);
      return { events: events.map(viewEvent), next: nextMoment(events) };
    },
  ),
  ...factorRoutes,
  ...addressRoutes,
];

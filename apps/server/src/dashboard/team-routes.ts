import { LANGUAGE_CODES } from '@counterfoil/core/language.ts';
import { ROLES } from '@counterfoil/core/permission.ts';
import { unixSeconds } from '../lib/clock.ts';
import { z } from 'zod';
import type { MailState } from '../mail/mail.ts';
import { readTwoFactorPolicy } from '../merchants/merchant-sql.ts';
import { acceptAsNewPerson, acceptInvitation } from '../people/accept-invitation.ts';
import { askFactorReset } from '../people/ask-factor-reset.ts';
import { changeMember } from '../people/change-member.ts';
import { changeTwoFactorPolicy } from '../people/change-two-factor-policy.ts';
import { listInvitations } from '../people/invitation-sql.ts';
import { inviteMember } from '../people/invite-member.ts';
import { listMemberEvents } from '../people/list-member-events.ts';
import { listMembers } from '../people/membership-sql.ts';
import { linkAddress } from '../people/link-address.ts';
import { openInvitation } from '../people/open-invitation.ts';
import { PASSWORD_LENGTH } from '../people/password.ts';
import { requireMember } from '../people/require-member.ts';
import { takeBackInvitation } from '../people/take-back-invitation.ts';
import { linkBody, linkToken } from './link-field.ts';
import { mailField } from './mail-field.ts';
import { PAGE_ROWS } from './paging.ts';
import type { DashboardRoute } from './route.ts';
import { personRoute, visitorRoute } from './route.ts';
import { eventQuery, LAST_MOMENT, nextMoment, viewEvent } from './security-event-page.ts';
import { giveSession, tokenOf } from './signed-in-request.ts';

const MAX_MEMBERS = 500;
const MAX_NAME = 100;
const MAX_REASON = 300;
const role = z.enum(ROLES);
const inviteBody = z.strictObject({ mail: mailField, role });
const reasonBody = z.strictObject({ reason: z.string().trim().min(1).max(MAX_REASON) });
const roleBody = z.strictObject({ role });
const twoFactorBody = z.strictObject({ required: z.boolean() });
const newPersonBody = z.strictObject({
  token: linkToken,
  name: z.string().trim().min(1).max(MAX_NAME),
  language: z.enum(LANGUAGE_CODES),
  password: z
    .string()
    .min(1)
    .max(4 * PASSWORD_LENGTH.maximum),
});

/** An email that a worker dropped or that cannot be sent was not sent. */
function mailStateOf(state: MailState | null): 'queued' | 'sent' | 'failed' | 'not_sent' {
  return state === 'queued' || state === 'sent' || state === 'failed' ? state : 'not_sent';
}

const invitationRoutes: readonly DashboardRoute[] = [
  visitorRoute(
    { method: 'POST', url: '/invitations/open', summary: 'Look at an invitation', body: linkBody, byLink: true },
    async ({ context, visitor, input }) => {
      const opened = await openInvitation(context, visitor, input.token);
      return { account: opened.merchantName, mail: opened.mailShown, role: opened.role, known: opened.isKnown };
    },
  ),
  visitorRoute(
    {
      method: 'POST',
      url: '/invitations/accept-new',
      summary: 'Accept as a new person',
      body: newPersonBody,
      byLink: true,
    },
    async ({ context, visitor, request, reply, input }) => {
      const token = await acceptAsNewPerson(context, visitor, { ...input, present: tokenOf(context, request) });
      await giveSession(context, visitor, reply, token);
    },
  ),
  personRoute(
    { method: 'POST', url: '/invitations/accept', summary: 'Accept an invitation', body: linkBody },
    async ({ context, person, input }) => {
      await acceptInvitation(context, person, input.token);
    },
  ),
];

export const teamRoutes: readonly DashboardRoute[] = [
  personRoute(
    { method: 'GET', url: '/accounts/:account/team', summary: 'List the members of a merchant' },
    async ({ context, person, path: { account = '' } }) => {
      const asked = { merchantCode: account, permission: 'team.see' } as const;
      const { merchantAccountId } = await requireMember(context, person, asked);
      const { queries } = context.database;
      const now = new Date(context.clock.nowMs());
      const members = await listMembers(queries, merchantAccountId, MAX_MEMBERS);
      const invitations = await listInvitations(queries, { merchantAccountId, now, limit: MAX_MEMBERS });
      const policy = await readTwoFactorPolicy(queries, merchantAccountId);
      return {
        two_factor_required: policy?.required ?? false,
        members: members.map((one) => ({
          person: one.person,
          name: one.name,
          mail: one.mail,
          role: one.role,
          since: unixSeconds(one.since),
          has_factor: one.hasFactor,
        })),
        invitations: invitations.map((one) => ({
          invitation: one.code,
          mail: one.mail,
          role: one.role,
          created_at: unixSeconds(one.createdAt),
          expires_at: unixSeconds(one.expiresAt),
          opened_at: one.openedAt && unixSeconds(one.openedAt),
          mail_state: mailStateOf(one.mailState),
        })),
      };
    },
  ),
  personRoute(
    { method: 'POST', url: '/accounts/:account/team/invitations', summary: 'Invite somebody', body: inviteBody },
    async ({ context, person, path: { account = '' }, input }) => {
      const asked = { merchantCode: account, mail: input.mail, role: input.role };
      const { code, linkToken: token, mailState } = await inviteMember(context, person, asked);
      const link = linkAddress(context.dashboardUrl, 'invitation', token);
      return { invitation: code, link, mail_state: mailStateOf(mailState) };
    },
  ),
  personRoute(
    { method: 'DELETE', url: '/accounts/:account/team/invitations/:invitation', summary: 'Take an invitation back' },
    async ({ context, person, path: { account = '', invitation = '' } }) => {
      await takeBackInvitation(context, person, { merchantCode: account, invitation });
    },
  ),
  personRoute(
    { method: 'PATCH', url: '/accounts/:account/team/:person', summary: 'Change a role', body: roleBody },
    async ({ context, person, path, input }) => {
      const asked = { merchantCode: path['account'] ?? '', person: path['person'] ?? '', role: input.role };
      await changeMember(context, person, asked);
    },
  ),
  personRoute(
    { method: 'DELETE', url: '/accounts/:account/team/:person', summary: 'Remove a member, or leave' },
    async ({ context, person, path }) => {
      await changeMember(context, person, {
        merchantCode: path['account'] ?? '',
        person: path['person'] ?? '',
        role: null,
      });
    },
  ),
  personRoute(
    {
      method: 'PUT',
      url: '/accounts/:account/two-factor',
      summary: 'Require two-factor authentication of the team, or no longer require it',
      body: twoFactorBody,
    },
    async ({ context, person, path: { account = '' }, input: { required } }) => {
      await changeTwoFactorPolicy(context, person, { merchantCode: account, required });
    },
  ),
  personRoute(
    {
      method: 'POST',
      url: '/accounts/:account/team/:person/reset-factors',
      summary: 'Reset the lost second factors of a member, after a delay',
      body: reasonBody,
    },
    async ({ context, person, path, input: { reason } }) => {
      const asked = { merchantCode: path['account'] ?? '', person: path['person'] ?? '', reason };
      return { effective_at: unixSeconds(await askFactorReset(context, person, asked)) };
    },
  ),
  personRoute(
    {
      method: 'GET',
      url: '/accounts/:account/security-events',
      summary: 'List sign-ins and security events of the members, the newest first',
      query: eventQuery,
    },
    async ({ context, person, path: { account = '' }, query: { after } }) => {
      const asked = { merchantCode: account, before: after ?? LAST_MOMENT, limit: PAGE_ROWS };
      const events = await listMemberEvents(context, person, asked);
      return {
        events: events.map((one) => ({ ...viewEvent(one), person: one.person })),
        next: nextMoment(events),
      };
    },
  ),
  ...invitationRoutes,
];

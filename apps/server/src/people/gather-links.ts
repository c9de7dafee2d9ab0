import type { Gatherer } from '../mail/gatherer.ts';
import type { MailAddress } from '../mail/mail-address.ts';
import type { MailData } from '../mail/mail.ts';
import { mailedId } from '../mail/mailed-data.ts';
import { drawLink, LINK_MS } from './draw-link.ts';
import { linkAddress } from './link-address.ts';
import {
  findMailedAddressChange,
  findMailedInvitation,
  findMailedPerson,
  findMailedReset,
  findMailedSignUp,
  hasAddress,
} from './mail-fact-sql.ts';
import { findMailedRestore } from './restore-sql.ts';

/**
 * Data of emails with links. The token is generated when the email is sent, and only its hash is stored; an email that
 * is sent again has another token, and both work.
 */

type GathererContext = Parameters<Gatherer<'verify-address'>>[0];

/** Signature of a reset that an operator requested on the command line. */
const OPERATOR = 'Counterfoil (operator)';
const WEEK_MS = 7 * 86_400_000;

async function gatherSignUp({ database: { queries }, clock, dashboardUrl }: GathererContext, data: MailData) {
  const at = new Date(clock.nowMs());
  const signUpId = mailedId(data, 'signUp');
  const found = await findMailedSignUp(queries, signUpId, at);
  if (!found) return undefined;
  const { expiresAt } = found;
  const token = await drawLink(queries, { subject: { purpose: 'verify', signUpId }, expiresAt }, at);
  return { link: linkAddress(dashboardUrl, 'verify', token), expiresAt };
}

async function gatherChange({ database: { queries }, clock, dashboardUrl }: GathererContext, data: MailData) {
  const at = new Date(clock.nowMs());
  const addressChangeId = mailedId(data, 'change');
  const found = await findMailedAddressChange(queries, addressChangeId, at);
  if (!found) return undefined;
  const { personId, expiresAt } = found;
  const subject = { purpose: 'change-mail', personId, addressChangeId } as const;
  const token = await drawLink(queries, { subject, expiresAt }, at);
  return { link: linkAddress(dashboardUrl, 'email', token), expiresAt };
}

/** The address of a sign-up, or the new address of a person. */
export const gatherVerifyAddress: Gatherer<'verify-address'> = (context, data) =>
  'signUp' in data ? gatherSignUp(context, data) : gatherChange(context, data);

export const gatherResetPassword: Gatherer<'reset-password'> = async (context, data, to) => {
  const { clock, dashboardUrl } = context;
  const { queries } = context.database;
  const at = new Date(clock.nowMs());
  const personId = mailedId(data, 'person');
  if (!(await hasAddress(queries, personId, to.normal))) return undefined;
  const expiresAt = new Date(at.getTime() + LINK_MS.reset);
  const token = await drawLink(queries, { subject: { purpose: 'set-password', personId }, expiresAt }, at);
  // Checks the address again: a change ends only existing links, and adding this one may have waited for a change.
  if (!(await hasAddress(queries, personId, to.normal))) return undefined;
  return { link: linkAddress(dashboardUrl, 'reset', token), expiresAt };
};

export const gatherInvitation: Gatherer<'invitation'> = async (context, { invitation = '' }) => {
  const { clock, dashboardUrl } = context;
  const { queries } = context.database;
  const at = new Date(clock.nowMs());
  const found = await findMailedInvitation(queries, invitation, at);
  if (!found) return undefined;
  const { id: invitationId, inviter, merchant, role, expiresAt } = found;
  const token = await drawLink(queries, { subject: { purpose: 'invitation', invitationId }, expiresAt }, at);
  return { inviter, merchant, role, link: linkAddress(dashboardUrl, 'invitation', token), expiresAt };
};

async function gatherReset(context: GathererContext, data: MailData, to: MailAddress) {
  const { clock, dashboardUrl } = context;
  const { queries } = context.database;
  const at = new Date(clock.nowMs());
  const factorResetId = mailedId(data, 'reset');
  const found = await findMailedReset(queries, factorResetId);
  if (!found) return undefined;
  const readerId = mailedId(data, 'person');
  // A reader of an old address has no say in an owner's reset. The email about an operator's reset goes to the oldest
  // address of a week, even if it was replaced.
  const isReader =
    found.requestedBy === null
      ? await findMailedPerson(queries, readerId)
      : await hasAddress(queries, readerId, to.normal);
  if (!isReader) return undefined;
  const { personId, person, requestedBy, effectiveAt } = found;
  // A reset applies at the next sign-in, so it can still be stopped after its time.
  const expiresAt = new Date(effectiveAt.getTime() + WEEK_MS);
  const subject = { purpose: 'keep-factors', personId, factorResetId } as const;
  const token = await drawLink(queries, { subject, expiresAt }, at);
  const link = linkAddress(dashboardUrl, 'keep-factors', token);
  return { person, requestedBy: requestedBy ?? OPERATOR, effectiveAt, link };
}

export const gatherFactorsReset: Gatherer<'factors-reset-requested'> = async (context, data, to) => {
  const found = await gatherReset(context, data, to);
  return found && { requestedBy: found.requestedBy, effectiveAt: found.effectiveAt, link: found.link };
};

/** The same reset, for an owner of one of the person's merchants. */
export const gatherMemberFactorsReset: Gatherer<'member-factors-reset'> = gatherReset;

/** Goes to every address of the person since the changes: each can stop the restore. */
export const gatherRestoreRequested: Gatherer<'restore-requested'> = async (context, data) => {
  const { clock, dashboardUrl } = context;
  const { queries } = context.database;
  const at = new Date(clock.nowMs());
  const restoreId = mailedId(data, 'restore');
  const found = await findMailedRestore(queries, restoreId);
  if (!found) return undefined;
  const { personId, effectiveAt } = found;
  const subject = { purpose: 'stop-restore', personId, restoreId } as const;
  const token = await drawLink(queries, { subject, expiresAt: new Date(effectiveAt.getTime() + WEEK_MS) }, at);
  return { effectiveAt, link: linkAddress(dashboardUrl, 'undo/stop', token) };
};

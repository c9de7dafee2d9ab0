import { isRole } from '@counterfoil/core/permission.ts';
import type { Gatherer } from '../mail/gatherer.ts';
import type { FactsOf, MailData } from '../mail/mail.ts';
import { isMailFactor } from '../mail/mail.ts';
import { mailedId, mailedTime } from '../mail/mailed-data.ts';
import { readMerchantName } from '../merchants/merchant-sql.ts';
import { browserName } from './browser-name.ts';
import { drawLink } from './draw-link.ts';
import { findEarlier } from './earlier-credentials-sql.ts';
import { countRecoveryCodes } from './factor-sql.ts';
import { linkAddress } from './link-address.ts';
import { findDoneAddressChange, findMailedPerson, findMailedRole } from './mail-fact-sql.ts';
import { findPersonName } from './person-sql.ts';
import { findSignInOrigin } from './security-event-sql.ts';

/** Data of emails about changes to a person's access. */

type GathererContext = Parameters<Gatherer<'password-changed'>>[0];

/** Used instead of a role when a membership has ended. */
export const NO_ROLE = 'none' as const;

/** Replaces the operator's name: merchants do not learn who operates the service. */
const OPERATOR = 'operator';

/** The recipient; undefined for a person who may not sign in. */
async function readerOf({ database }: GathererContext, data: MailData): Promise<bigint | undefined> {
  const personId = mailedId(data, 'person');
  return (await findMailedPerson(database.queries, personId)) && personId;
}

/** The undo link; null for an email without one, and after the earlier credentials expired. */
async function drawUndo({ database, clock, dashboardUrl }: GathererContext, data: MailData): Promise<string | null> {
  if (data['earlier'] === undefined) return null;
  const at = new Date(clock.nowMs());
  const earlierId = mailedId(data, 'earlier');
  const kept = await findEarlier(database.queries, earlierId, at);
  if (!kept) return null;
  const { personId, expiresAt } = kept;
  const subject = { purpose: 'undo', personId, earlierId } as const;
  return linkAddress(dashboardUrl, 'undo', await drawLink(database.queries, { subject, expiresAt }, at));
}

export const gatherPasswordChanged: Gatherer<'password-changed'> = async (context, data) =>
  (await readerOf(context, data)) === undefined
    ? undefined
    : { at: mailedTime(data['at']), link: await drawUndo(context, data) };

/** Goes to the old address, regardless of the person's present state. */
export const gatherAddressChanged: Gatherer<'address-changed'> = async (context, data) => {
  const change = await findDoneAddressChange(context.database.queries, mailedId(data, 'change'));
  return change && { ...change, link: await drawUndo(context, data) };
};

async function gatherFactor(context: GathererContext, data: MailData): Promise<FactsOf<'factor-added'> | undefined> {
  const { factor = '', at } = data;
  if (!isMailFactor(factor)) throw new Error(`The factor ${factor} is not known here.`);
  if ((await readerOf(context, data)) === undefined) return undefined;
  return { factor, at: mailedTime(at), link: await drawUndo(context, data) };
}

export const gatherFactorAdded: Gatherer<'factor-added'> = gatherFactor;
export const gatherFactorRemoved: Gatherer<'factor-removed'> = gatherFactor;

export const gatherRecoveryCodeUsed: Gatherer<'recovery-code-used'> = async (context, data) => {
  const personId = await readerOf(context, data);
  if (personId === undefined) return undefined;
  return { at: mailedTime(data['at']), left: await countRecoveryCodes(context.database.queries, personId) };
};

export const gatherNewSignIn: Gatherer<'new-sign-in'> = async (context, data) => {
  const personId = await readerOf(context, data);
  const at = mailedTime(data['at']);
  const origin = personId === undefined ? undefined : await findSignInOrigin(context.database.queries, personId, at);
  return origin && { browser: browserName(origin.agent), ip: origin.address, at };
};

export const gatherRoleChanged: Gatherer<'role-changed'> = async ({ database }, data) => {
  const { queries } = database;
  const member = { personId: mailedId(data, 'person'), merchantAccountId: mailedId(data, 'merchant') };
  const found = await findMailedRole(queries, member);
  const changedBy = await findMailedPerson(queries, mailedId(data, 'by'));
  return found && { ...found, changedBy: changedBy?.name ?? '' };
};

/** Goes to the restored address and the one that it replaced, regardless of the person's present state. */
const gatherMoment = async (context: GathererContext, data: MailData) =>
  (await readerOf(context, data)) === undefined ? undefined : { at: mailedTime(data['at']) };

export const gatherAccountRestored: Gatherer<'account-restored'> = gatherMoment;
export const gatherRestoreStopped: Gatherer<'restore-stopped'> = gatherMoment;

/** Goes to a former member, regardless of their present state. */
export const gatherMembershipEnded: Gatherer<'membership-ended'> = async (context, data) => {
  const { queries } = context.database;
  const merchant = await readMerchantName(queries, mailedId(data, 'merchant'));
  if (merchant === undefined || (await readerOf(context, data)) === undefined) return undefined;
  const changedBy = (await findPersonName(queries, data['by'] ?? '')) ?? OPERATOR;
  return { merchant, changedBy, at: mailedTime(data['at']) };
};

/** Reports the change that was made, even if the role has changed again. */
export const gatherTeamChanged: Gatherer<'team-changed'> = async ({ database }, data) => {
  const { queries } = database;
  const merchant = await readMerchantName(queries, mailedId(data, 'merchant'));
  const { member: code = '', by = '', role = '', at } = data;
  const member = await findPersonName(queries, code);
  if (merchant === undefined || member === undefined) return undefined;
  if (role !== NO_ROLE && !isRole(role)) throw new Error(`The role ${role} is not known here.`);
  const changedBy = (await findPersonName(queries, by)) ?? OPERATOR;
  const more = Number(data['merged'] ?? 0);
  return { merchant, member, role: role === NO_ROLE ? null : role, changedBy, at: mailedTime(at), more };
};

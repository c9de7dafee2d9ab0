import type { Context } from '../db/context.ts';
import type { Gatherer } from '../mail/gatherer.ts';
import type { MailData } from '../mail/mail.ts';
import { mailedId, mailedTime } from '../mail/mailed-data.ts';
import { readMerchantName, readTwoFactorPolicy } from '../merchants/merchant-sql.ts';
import { lacksTwoFactor } from './membership-sql.ts';
import { findMailedPerson } from './mail-fact-sql.ts';
import { findPersonName } from './person-sql.ts';

/** Not sent when the requirement was lifted again. */
export const gatherTwoFactorRequired: Gatherer<'two-factor-required'> = async (context, data) => {
  const { database, dashboardUrl } = context;
  const { queries } = database;
  const merchantAccountId = mailedId(data, 'merchant');
  const personId = mailedId(data, 'person');
  const policy = await readTwoFactorPolicy(queries, merchantAccountId);
  if (!policy?.required || !(await findMailedPerson(queries, personId))) return undefined;
  const changedBy = (await findPersonName(queries, data['by'] ?? '')) ?? '';
  const isMissing = await lacksTwoFactor(queries, { merchantAccountId, personId });
  return {
    merchant: policy.name,
    changedBy,
    at: mailedTime(data['at']),
    isMissing,
    link: `${dashboardUrl}/me/security`,
  };
};

type MerchantChange = { merchant: string; changedBy: string; at: Date };

/** Facts of emails that only say who changed a merchant, and when. */
export async function gatherMerchantChange(
  { database }: Pick<Context, 'database'>,
  data: MailData,
): Promise<MerchantChange | undefined> {
  const { queries } = database;
  const merchant = await readMerchantName(queries, mailedId(data, 'merchant'));
  const changedBy = (await findPersonName(queries, data['by'] ?? '')) ?? '';
  return merchant === undefined ? undefined : { merchant, changedBy, at: mailedTime(data['at']) };
}

export const gatherMemberWithoutTwoFactor: Gatherer<'member-without-two-factor'> = async ({ database }, data) => {
  const { queries } = database;
  const merchant = await readMerchantName(queries, mailedId(data, 'merchant'));
  const member = await findPersonName(queries, data['member'] ?? '');
  return merchant === undefined || member === undefined ? undefined : { merchant, member, at: mailedTime(data['at']) };
};

export const gatherUsedCode: Gatherer<'two-factor-code-used-again'> = async ({ database }, data) => {
  const person = await findMailedPerson(database.queries, mailedId(data, 'person'));
  return person && { at: mailedTime(data['at']) };
};

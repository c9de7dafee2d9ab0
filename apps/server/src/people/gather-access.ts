import type { Gatherer } from '../mail/gatherer.ts';
import { mailedId, mailedTime } from '../mail/mailed-data.ts';
import { NO_ROLE } from './gather-notices.ts';
import { findMailedPerson } from './mail-fact-sql.ts';
import { OPERATOR_ROLES } from './person.ts';

/** Goes to a person who can no longer sign in. */
export const gatherAccountDisabled: Gatherer<'account-disabled'> = async (_context, data) => ({
  at: mailedTime(data['at']),
});

export const gatherAccountEnabled: Gatherer<'account-enabled'> = async ({ database }, data) =>
  (await findMailedPerson(database.queries, mailedId(data, 'person'))) && { at: mailedTime(data['at']) };

export const gatherStaffRoleChanged: Gatherer<'staff-role-changed'> = async (_context, { role = '', at }) => {
  const staffRole = ([NO_ROLE, ...OPERATOR_ROLES] as const).find((one) => one === role);
  if (staffRole === undefined) throw new Error(`The role ${role} is not known here.`);
  return { staffRole, at: mailedTime(at) };
};

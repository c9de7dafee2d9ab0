import type { AccessWords } from '../mail-content.ts';
import { mail, paragraph, rows, small } from '../mail-content.ts';

const STAFF_ROLES = { none: 'none', support: 'support', operator: 'operator' } as const;

export const enAccess: AccessWords = {
  'account-disabled': ({ at }) =>
    mail(
      'Your account was disabled',
      paragraph('You can no longer sign in, and all your sessions were ended.'),
      rows(['When', at]),
      small('If you do not know why, contact your operator.'),
    ),
  'account-enabled': ({ at }) =>
    mail(
      'Your account was enabled',
      paragraph('You can sign in again, with the same password and two-factor methods as before.'),
      rows(['When', at]),
      small('If you did not expect this, change your password and contact your operator.'),
    ),
  'staff-role-changed': ({ staffRole, at }) =>
    mail(
      'Your staff role has changed',
      paragraph('All your sessions were ended. The new role applies from your next sign-in.'),
      rows(['Role', STAFF_ROLES[staffRole]], ['When', at]),
      small('If you did not expect this, contact another operator immediately.'),
    ),
};

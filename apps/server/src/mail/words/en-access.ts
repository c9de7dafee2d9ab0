import type { AccessWords } from '../mail-content.ts';
import { mail, paragraph, rows, small } from '../mail-content.ts';

const STAFF_ROLES = { none: 'none', support: 'support', operator: 'operator' } as const;

/** English texts of emails about what an operator did with a person's access. */
export const enAccess: AccessWords = {
  'account-disabled': ({ at }) =>
    mail(
      'Your account was disabled',
      paragraph('You can no longer sign in, and all your sessions have ended.'),
      rows(['When', at]),
      small('If you do not know why, ask the operator of this service.'),
    ),
  'account-enabled': ({ at }) =>
    mail(
      'Your account was enabled again',
      paragraph('You can sign in as before, with the password and two-factor methods that you had.'),
      rows(['When', at]),
      small('If you did not expect this, change your password and tell the operator of this service.'),
    ),
  'staff-role-changed': ({ staffRole, at }) =>
    mail(
      'Your role in this service has changed',
      paragraph('Your sessions have ended. The new role applies from your next sign-in.'),
      rows(['Role', STAFF_ROLES[staffRole]], ['When', at]),
      small('If you did not expect this, tell another operator of this service immediately.'),
    ),
};

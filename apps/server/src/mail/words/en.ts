import type { Role } from '@counterfoil/core/permission.ts';
import type { MailFactor } from '../mail.ts';
import type { Words } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';
import { enAccess } from './en-access.ts';
import { becauseOwner, enMethods } from './en-methods.ts';
import { enRestores, undoOr } from './en-restores.ts';
import { enStores } from './en-stores.ts';
import { enTwoFactor } from './en-two-factor.ts';

const ROLES: Record<Role, string> = {
  owner: 'owner',
  admin: 'admin',
  developer: 'developer',
  finance: 'finance',
  viewer: 'viewer',
};

const FACTORS: Record<MailFactor, string> = {
  app: 'authenticator app',
  passkey: 'passkey',
  'recovery-codes': 'new recovery codes; the old ones no longer work',
  all: 'all two-factor methods',
};

const NOT_ME =
  'If this wasn’t you, sign in, change your password and end all other sessions. Then contact another owner of your account or your operator.';
const BECAUSE_YOURS = 'You received this email because it is about the security of your account.';
const becauseMember = (merchant: string) =>
  `You received this email because you are a member of ${merchant}. You can turn off these emails in the dashboard.`;

export const en: Words = {
  'verify-address': ({ link, expiresAt }) =>
    mail(
      'Confirm your email address',
      paragraph('Confirm this email address to sign in with it.'),
      button('Confirm address', link),
      paragraph(`The link works once and expires on ${expiresAt}.`),
      small(
        'You received this email because someone entered this address at Counterfoil. If this wasn’t you, ignore it: nothing happens unless the link is used.',
      ),
    ),
  invitation: ({ inviter, merchant, role, link, expiresAt }) =>
    mail(
      `You are invited to join ${merchant}`,
      paragraph(`${inviter} invited you to join ${merchant} with the role “${ROLES[role]}”.`),
      button('View invitation', link),
      paragraph(`The link works once, only for this address, and expires on ${expiresAt}.`),
      small(
        `You received this email because ${inviter} entered your address. If you do not know them, ignore it: nothing happens unless the link is used.`,
      ),
    ),
  'reset-password': ({ link, expiresAt }) =>
    mail(
      'Reset your password',
      paragraph('Someone requested a new password for this email address.'),
      button('Choose a password', link),
      paragraph(`The link works once and expires on ${expiresAt}. You still need your two-factor method to sign in.`),
      small(
        'You received this email because this address can sign in to Counterfoil. If you did not request a new password, ignore it: your password stays the same.',
      ),
    ),
  'password-changed': ({ at, link }) =>
    mail(
      'Your password was changed',
      paragraph('Your password was changed, and all other sessions were ended.'),
      rows(['When', at]),
      small(BECAUSE_YOURS),
      ...undoOr(
        link,
        'If this wasn’t you, reset your password immediately with “Forgot password?” on the sign-in page. Then contact another owner of your account or your operator.',
      ),
    ),
  'address-changed': ({ newAddress, at, link }) =>
    mail(
      'Your email address was changed',
      paragraph('You now sign in with another email address. This one is no longer used.'),
      rows(['New address', newAddress], ['When', at]),
      small('We sent this email to your old address so that no one can take over your account unnoticed.'),
      ...undoOr(
        link,
        'If this wasn’t you, contact another owner of your account or your operator immediately. They can block access to your account.',
      ),
    ),
  'factor-added': ({ factor, at, link }) =>
    mail(
      'A two-factor method was added',
      paragraph('You can now also use it to confirm your sign-in.'),
      rows(['Two-factor method', FACTORS[factor]], ['When', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, NOT_ME),
    ),
  'factor-removed': ({ factor, at, link }) =>
    mail(
      'A two-factor method was removed',
      paragraph('It can no longer be used to confirm your sign-in.'),
      rows(['Two-factor method', FACTORS[factor]], ['When', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, NOT_ME),
    ),
  'factors-reset-requested': ({ requestedBy, effectiveAt, link }) =>
    mail(
      'Your two-factor methods will be reset',
      paragraph(
        `${requestedBy} requested the removal of all your two-factor methods, so that you can set up new ones.`,
      ),
      rows(['Takes effect', effectiveAt]),
      paragraph('If you still have your two-factor methods, stop the reset before then.'),
      button('Stop the reset', link),
      small(BECAUSE_YOURS),
      small(
        'If you did not ask for this, stop the reset, change your password and contact another owner of your account.',
      ),
    ),
  'member-factors-reset': ({ person, requestedBy, effectiveAt, link }) =>
    mail(
      `The two-factor methods of ${person} will be reset`,
      paragraph(
        `${requestedBy} requested the removal of all two-factor methods of ${person}, who can then set up new ones.`,
      ),
      rows(['Takes effect', effectiveAt]),
      paragraph('Check with them in person or by phone. If they still have their two-factor methods, stop the reset.'),
      button('Stop the reset', link),
      small('You received this email because you are an owner of a merchant account that they belong to.'),
    ),
  'recovery-code-used': ({ at, left }) =>
    mail(
      'A recovery code was used',
      paragraph('Someone signed in with your password and one of your recovery codes.'),
      rows(['When', at], ['Codes left', String(left)]),
      small(BECAUSE_YOURS),
      small(NOT_ME),
    ),
  'new-sign-in': ({ browser, ip, at }) =>
    mail(
      'New sign-in to your account',
      paragraph('Someone signed in to your account from a browser or network that you have not used before.'),
      rows(['Browser', browser], ['IP address', ip], ['When', at]),
      paragraph('If this was you, you can ignore this email.'),
      small(BECAUSE_YOURS),
      small(NOT_ME),
    ),
  'role-changed': ({ merchant, changedBy, role }) =>
    mail(
      `Your role at ${merchant} has changed`,
      paragraph(`Your role at ${merchant} is now “${ROLES[role]}”.`),
      rows(['Changed by', changedBy]),
      small(`You received this email because you are a member of ${merchant}.`),
      small(`If this is a mistake, contact an owner of ${merchant}.`),
    ),
  'team-changed': ({ merchant, member, role, changedBy, at, more }) =>
    mail(
      role === null ? `${member} is no longer a member of ${merchant}` : `${member} is now a member of ${merchant}`,
      paragraph(role === null ? 'They no longer have access.' : `Their role is “${ROLES[role]}”.`),
      rows(['Member', member], ['Changed by', changedBy], ['When', at]),
      ...(more > 0 ? [paragraph(`Further changes to the team: ${more}. The audit log lists all of them.`)] : []),
      small(becauseOwner(merchant)),
      small('If this was a mistake, sign in, correct it on the team page and lock all changes.'),
    ),
  ...enAccess,
  ...enMethods,
  ...enRestores,
  ...enStores,
  ...enTwoFactor,
  'operator-view': ({ merchant, operator, reason, until }) =>
    mail(
      `Your operator opened a support session at ${merchant}`,
      paragraph('A member of the operator’s staff can view your merchant account. They cannot change anything.'),
      rows(['Operator', operator], ['Reason', reason], ['Until', until]),
      small(becauseOwner(merchant)),
      small('The session is recorded in your audit log. If you did not expect it, contact your operator.'),
    ),
  'membership-ended': ({ merchant, changedBy, at }) =>
    mail(
      `You are no longer a member of ${merchant}`,
      paragraph(`Your access to ${merchant} has ended.`),
      rows(['Ended by', changedBy], ['When', at]),
      small(`You received this email because you were a member of ${merchant}.`),
      small(`If this is a mistake, contact an owner of ${merchant}.`),
    ),
  'low-balance': ({ merchant, store, amount }) =>
    mail(
      `The balance of ${store} is running low`,
      paragraph('No new invoices can be created when the balance is used up. Top it up before then.'),
      rows(['Store', store], ['Available', `${amount} USD`]),
      small(becauseMember(merchant)),
    ),
  'endpoint-failing': ({ merchant, store, host, since, isLong }) =>
    mail(
      isLong ? `Webhooks to ${store} have been failing for a day` : `Webhooks to ${store} are failing`,
      paragraph(
        'Your server does not accept our webhooks, so your shop may not learn about payments. We keep retrying.',
      ),
      rows(['Store', store], ['Server', host], ['Since', since]),
      small(becauseMember(merchant)),
    ),
  'endpoint-back': ({ merchant, store, host, at }) =>
    mail(
      `Webhooks to ${store} are delivered again`,
      paragraph('Your server accepts our webhooks again. We are now sending the pending ones.'),
      rows(['Store', store], ['Server', host], ['When', at]),
      small(becauseMember(merchant)),
    ),
  'unmatched-money': ({ merchant, count, at }) =>
    mail(
      `${merchant} received money without a matching invoice`,
      paragraph('Review it in the dashboard, where you can attach each payment to its invoice.'),
      rows(['Payments', String(count)], ['When', at]),
      small(becauseMember(merchant)),
    ),
  'payment-claimed': ({ merchant, store, amount, order, link }) =>
    mail(
      `A customer claims a payment of ${amount}`,
      paragraph(
        `A customer of ${store} submitted the transaction of a payment that does not match its invoice. Hashes are public, so a claim is not proof: compare the amounts before you attach it.`,
      ),
      rows(['Received', amount], ['Order', order]),
      button('View payment', link),
      small(becauseMember(merchant)),
    ),
  'api-key-ending': ({ merchant, store, hint, endsAt }) =>
    mail(
      `An old API key of ${store} expires soon`,
      paragraph('Programs that still use it cannot create invoices after that. Give them the new key before then.'),
      rows(['Store', store], ['Key ends with', hint], ['Expires', endsAt]),
      small(becauseMember(merchant)),
    ),
  'exchange-key-ending': ({ merchant, network, account, endsAt }) =>
    mail(
      `The key of an exchange account at ${merchant} expires soon`,
      paragraph(
        'Shortly before the key expires, the account is no longer offered to customers. Provide a new key before then.',
      ),
      rows(['Platform', network], ['Account', account], ['Expires', endsAt]),
      small(becauseMember(merchant)),
    ),
  'mail-test': () =>
    mail(
      'Email from Counterfoil works',
      paragraph('This is a test email. You do not need to do anything.'),
      small(
        'You received this email because an operator of this server sent a test to this address. If this is a mistake, ignore it.',
      ),
    ),
};

import type { MailFactor, MailRole } from '../mail.ts';
import type { Words } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';
import { enAccess } from './en-access.ts';
import { becauseOwner, enMethods } from './en-methods.ts';
import { enRestores, undoOr } from './en-restores.ts';
import { enTwoFactor } from './en-two-factor.ts';

/** English words of mails. */

const ROLES: Record<MailRole, string> = {
  owner: 'owner',
  admin: 'administrator',
  developer: 'developer',
  finance: 'finance',
  viewer: 'viewer',
};

const FACTORS: Record<MailFactor, string> = {
  app: 'authenticator app',
  passkey: 'passkey',
  'recovery-codes': 'new recovery codes; the old ones are void',
  all: 'all second factors',
};

const NOT_ME =
  'If this was not you, sign in, change your password and end all other sessions. Then tell another owner or your administrator.';
const BECAUSE_YOURS = 'You get this mail because it is about the safety of your own access.';
const becauseMember = (merchant: string) =>
  `You get this mail because you work on ${merchant}. You can switch such mails off in the dashboard.`;

const moreOf = (more: number) =>
  more > 0 ? [paragraph(`${more} more changes were made to stores. The audit log lists all of them.`)] : [];

export const en: Words = {
  'verify-address': ({ link, expiresAt }) =>
    mail(
      'Confirm your mail address',
      paragraph('Confirm that this address is yours, and you can use it to sign in.'),
      button('Confirm address', link),
      paragraph(`The link works once, until ${expiresAt}.`),
      small(
        'You get this mail because somebody entered this address at Counterfoil. If that was not you, ignore it: nothing happens without the link.',
      ),
    ),
  invitation: ({ inviter, merchant, role, link, expiresAt }) =>
    mail(
      `Invitation to ${merchant}`,
      paragraph(`${inviter} invites you to work on ${merchant} in the role “${ROLES[role]}”.`),
      button('See the invitation', link),
      paragraph(`The link works once, for this address only, until ${expiresAt}.`),
      small(
        `You get this mail because ${inviter} entered your address. If you do not know them, ignore it: nothing happens without the link.`,
      ),
    ),
  'reset-password': ({ link, expiresAt }) =>
    mail(
      'Choose a new password',
      paragraph('Somebody asked for a new password for this address.'),
      button('Choose a password', link),
      paragraph(`The link works once, until ${expiresAt}. Your second factor is still needed.`),
      small(
        'You get this mail because this address has access to Counterfoil. If you did not ask for it, ignore it: your password stays as it is.',
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
        'If this was not you, use “Forgot password” at once, then tell another owner or your administrator.',
      ),
    ),
  'address-changed': ({ newAddress, at, link }) =>
    mail(
      'Your mail address was changed',
      paragraph('You now sign in with another mail address. This one is no longer used.'),
      rows(['New address', newAddress], ['When', at]),
      small('You get this mail at your old address, so that nobody can take over your access unnoticed.'),
      ...undoOr(
        link,
        'If this was not you, tell another owner or your administrator at once: they can stop your access.',
      ),
    ),
  'factor-added': ({ factor, at, link }) =>
    mail(
      'A second factor was added',
      paragraph('From now on you can also confirm your sign-in with it.'),
      rows(['Second factor', FACTORS[factor]], ['When', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, NOT_ME),
    ),
  'factor-removed': ({ factor, at, link }) =>
    mail(
      'A second factor was removed',
      paragraph('It can no longer be used to confirm your sign-in.'),
      rows(['Second factor', FACTORS[factor]], ['When', at]),
      small(BECAUSE_YOURS),
      ...undoOr(link, NOT_ME),
    ),
  'factors-reset-requested': ({ requestedBy, effectiveAt, link }) =>
    mail(
      'Your second factors will be reset',
      paragraph(`${requestedBy} asked to remove all your second factors, so that you can set up new ones.`),
      rows(['Takes effect', effectiveAt]),
      paragraph('If you have not lost your second factors, stop this before then.'),
      button('Stop the reset', link),
      small(BECAUSE_YOURS),
      small('If nobody should have asked for this, stop it, change your password and tell another owner.'),
    ),
  'member-factors-reset': ({ person, requestedBy, effectiveAt, link }) =>
    mail(
      `The second factors of ${person} will be reset`,
      paragraph(`${requestedBy} asked to remove all second factors of ${person}, who can then set up new ones.`),
      rows(['Takes effect', effectiveAt]),
      paragraph('Ask them in person or by telephone. If they have not lost their second factors, stop this.'),
      button('Stop the reset', link),
      small('You get this mail because you are an owner of a merchant account that they work on.'),
    ),
  'recovery-code-used': ({ at, left }) =>
    mail(
      'A recovery code was used',
      paragraph('Somebody signed in with your password and one of your recovery codes.'),
      rows(['When', at], ['Codes left', String(left)]),
      small(BECAUSE_YOURS),
      small(NOT_ME),
    ),
  'new-sign-in': ({ browser, ip, at }) =>
    mail(
      'New sign-in to your account',
      paragraph('Your account was signed in to from a browser or network that you have not used before.'),
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
      small(`You get this mail because you work on ${merchant}.`),
      small('If this is a mistake, ask one of its owners.'),
    ),
  'team-changed': ({ merchant, member, role, changedBy, at, more }) =>
    mail(
      role === null ? `${member} no longer works on ${merchant}` : `${member} now works on ${merchant}`,
      paragraph(role === null ? 'They have no access any more.' : `Their role is “${ROLES[role]}”.`),
      rows(['Member', member], ['Changed by', changedBy], ['When', at]),
      ...(more > 0 ? [paragraph(`${more} more changes were made to the team. The audit log lists all of them.`)] : []),
      small(becauseOwner(merchant)),
      small('If this should not have happened, sign in, correct it on the team page and lock all changes.'),
    ),
  ...enAccess,
  ...enMethods,
  ...enRestores,
  ...enTwoFactor,
  'api-key-changed': ({ merchant, store, hint, oldEndsAt, changedBy, at }) =>
    mail(
      `${store} has a new API key`,
      paragraph('Programs that use the old key are refused when it ends.'),
      rows(
        ['Store', store],
        ['New key ends in', hint],
        ['Old key works until', oldEndsAt],
        ['Changed by', changedBy],
        ['When', at],
      ),
      small(becauseOwner(merchant)),
      small('If nobody of yours did this, sign in at once, lock all changes and look at who has access.'),
    ),
  'webhook-secret-changed': ({ merchant, store, oldEndsAt, changedBy, at }) =>
    mail(
      `${store} has a new webhook secret`,
      paragraph('Webhooks are signed with the new secret from now on, and with the old one too until it ends.'),
      rows(['Store', store], ['Old secret signs until', oldEndsAt], ['Changed by', changedBy], ['When', at]),
      small(becauseOwner(merchant)),
      small('If nobody of yours did this, sign in at once, lock all changes and look at who has access.'),
    ),
  'store-switched': ({ merchant, store, active, changedBy, at, more }) =>
    mail(
      active ? `${store} was switched on` : `${store} was switched off`,
      paragraph(
        active
          ? 'It takes new invoices again.'
          : 'It takes no new invoices. Those that are open can still be paid, and you are still told.',
      ),
      rows(['Store', store], ['Changed by', changedBy], ['When', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('If this should not have happened, sign in and look at the store, or ask those who run this service.'),
    ),
  'brand-changed': ({ merchant, store, contact, changedBy, at, more }) =>
    mail(
      contact ? `The support contact of ${store} has changed` : `The brand of ${store} has changed`,
      paragraph(
        contact
          ? 'Customers see the new support contact on payment pages, and follow it when they have a problem.'
          : 'Payment pages show the new name, color or logo from now on.',
      ),
      rows(['Store', store], ['Changed by', changedBy], ['When', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('If no one on your team did this, sign in, correct it on the brand page and review who has access.'),
    ),
  'https-only-off': ({ merchant, store, changedBy, at, more }) =>
    mail(
      `${store} can now send webhooks without HTTPS`,
      paragraph('The setting “Webhooks to https only” was switched off. Webhooks to http addresses are not encrypted.'),
      rows(['Store', store], ['Changed by', changedBy], ['When', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('If no one on your team did this, sign in, switch the setting on again and review who has access.'),
    ),
  'operator-view': ({ merchant, operator, reason, until }) =>
    mail(
      `Support is looking at ${merchant}`,
      paragraph('Somebody who runs this service opened your merchant account to read. They cannot change anything.'),
      rows(['Who', operator], ['Reason', reason], ['Until', until]),
      small(becauseOwner(merchant)),
      small('It is kept in your audit. If you did not expect it, ask those who run this service.'),
    ),
  'membership-ended': ({ merchant, changedBy, at }) =>
    mail(
      `You no longer work on ${merchant}`,
      paragraph(`Your access to ${merchant} has ended.`),
      rows(['Ended by', changedBy], ['When', at]),
      small(`You get this mail because you worked on ${merchant} until now.`),
      small('If this is a mistake, ask one of its owners.'),
    ),
  'low-balance': ({ merchant, store, amount }) =>
    mail(
      `The balance of ${store} is running low`,
      paragraph('When it is used up, no new invoices can be created. Top it up before that.'),
      rows(['Store', store], ['Available', `${amount} USD`]),
      small(becauseMember(merchant)),
    ),
  'endpoint-failing': ({ merchant, store, host, since, isLong }) =>
    mail(
      isLong ? `Webhooks of ${store} have failed for a day` : `Webhooks of ${store} fail`,
      paragraph('Your server does not take our webhooks, so your shop may not know of payments. We go on trying.'),
      rows(['Store', store], ['Receiver', host], ['Since', since]),
      small(becauseMember(merchant)),
    ),
  'endpoint-back': ({ merchant, store, host, at }) =>
    mail(
      `Webhooks of ${store} arrive again`,
      paragraph('Your server takes our webhooks again. Those that were still waiting are being sent.'),
      rows(['Store', store], ['Receiver', host], ['When', at]),
      small(becauseMember(merchant)),
    ),
  'unmatched-money': ({ merchant, count, at }) =>
    mail(
      `Money arrived at ${merchant} that pays no invoice`,
      paragraph('Look at it in the dashboard: you can attach each payment to the invoice that it was meant for.'),
      rows(['Payments', String(count)], ['When', at]),
      small(becauseMember(merchant)),
    ),
  'api-key-ending': ({ merchant, store, hint, endsAt }) =>
    mail(
      `An old API key of ${store} is about to end`,
      paragraph('Whatever still uses it cannot create invoices afterwards. Give it the new key before then.'),
      rows(['Store', store], ['Key ends with', hint], ['Works until', endsAt]),
      small(becauseMember(merchant)),
    ),
  'exchange-key-ending': ({ merchant, network, account, endsAt }) =>
    mail(
      `The key of an exchange account of ${merchant} is about to end`,
      paragraph('Shortly before its end the account is no longer offered to payers. Give us a new key before then.'),
      rows(['Platform', network], ['Account', account], ['Works until', endsAt]),
      small(becauseMember(merchant)),
    ),
  'mail-test': () =>
    mail(
      'Mail from Counterfoil works',
      paragraph('This is a test. There is nothing for you to do.'),
      small(
        'You get this mail because an operator of this server had it sent to this address. If that is a mistake, ignore it.',
      ),
    ),
};

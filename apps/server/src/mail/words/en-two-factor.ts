import type { TwoFactorWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';
import { becauseOwner } from './en-methods.ts';

/** English texts of emails about two-factor authentication. */
export const enTwoFactor: TwoFactorWords = {
  'two-factor-code-used-again': ({ at }) =>
    mail(
      'A code of your authenticator app was used twice',
      paragraph('Somebody entered your password and a code that had already been used. It was refused.'),
      rows(['When', at]),
      small('If this was you, wait for the next code. You can ignore this email.'),
      small('If this was not you, somebody knows your password: change it and end all other sessions.'),
    ),
  'two-factor-required': ({ merchant, changedBy, at, isMissing, link }) =>
    mail(
      `${merchant} now requires two-factor authentication`,
      ...(isMissing
        ? [
            paragraph(
              'You have no access until you set up a passkey or an authenticator app. It takes about a minute.',
            ),
            button('Set it up', link),
          ]
        : [paragraph('You already have a two-factor method, so nothing changes for you.')]),
      rows(['Changed by', changedBy], ['When', at]),
      small(`You get this mail because you work on ${merchant}.`),
    ),
  'two-factor-optional': ({ merchant, changedBy, at }) =>
    mail(
      `${merchant} no longer requires two-factor authentication`,
      paragraph('Members without a two-factor method have access again.'),
      rows(['Changed by', changedBy], ['When', at]),
      small(becauseOwner(merchant)),
      small('If no one on your team did this, sign in, switch it on again and review who has access.'),
    ),
  'member-without-two-factor': ({ merchant, member, at }) =>
    mail(
      `${member} has no two-factor method anymore`,
      paragraph(`They removed their last one, and have no access to ${merchant} until they set up another.`),
      rows(['Member', member], ['When', at]),
      small(becauseOwner(merchant)),
      small('If you did not expect this, ask them in person or by telephone.'),
    ),
};

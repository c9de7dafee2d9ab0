import type { TwoFactorWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';
import { becauseOwner } from './en-methods.ts';

export const enTwoFactor: TwoFactorWords = {
  'two-factor-code-used-again': ({ at }) =>
    mail(
      'An authenticator code was used twice',
      paragraph('Someone entered your password and a code that had already been used. The sign-in was rejected.'),
      rows(['When', at]),
      small('If this was you, wait for the next code and try again. You can ignore this email.'),
      small('If this wasn’t you, someone knows your password. Change it and end all other sessions.'),
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
      small(`You received this email because you are a member of ${merchant}.`),
    ),
  'two-factor-optional': ({ merchant, changedBy, at }) =>
    mail(
      `${merchant} no longer requires two-factor authentication`,
      paragraph('Members without a two-factor method have access again.'),
      rows(['Changed by', changedBy], ['When', at]),
      small(becauseOwner(merchant)),
      small('If no one on your team did this, sign in, require it again and review who has access.'),
    ),
  'member-without-two-factor': ({ merchant, member, at }) =>
    mail(
      `${member} no longer has a two-factor method`,
      paragraph(`They removed their last one and have no access to ${merchant} until they set up another.`),
      rows(['Member', member], ['When', at]),
      small(becauseOwner(merchant)),
      small('If you did not expect this, check with them in person or by phone.'),
    ),
};

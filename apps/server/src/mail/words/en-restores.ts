import type { Block, RestoreWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';

const BECAUSE_ADDRESS = 'You received this email because this address belongs to the account, or did until recently.';

/** The end of an email about a change that its reader can undo; `otherwise` where they cannot. */
export const undoOr = (link: string | null, otherwise: string): Block[] =>
  link === null
    ? [small(otherwise)]
    : [
        paragraph(
          'If this wasn’t you, undo the change. This ends all sessions, locks the payment methods of your merchants and restores your earlier sign-in details.',
        ),
        button('Undo the change', link),
        small('The link works for seven days and does not sign anyone in.'),
      ];

export const enRestores: RestoreWords = {
  'restore-requested': ({ effectiveAt, link }) =>
    mail(
      'Your earlier sign-in details will be restored',
      paragraph(
        'Someone used an undo link for your account without one of its earlier two-factor methods. The email address, password and two-factor methods from before the latest changes will be restored.',
      ),
      rows(['Takes effect', effectiveAt]),
      paragraph('To keep the current sign-in details, stop the restore before then. This does not sign you in.'),
      button('Stop the restore', link),
      small(BECAUSE_ADDRESS),
      small('If you did not make the latest changes, do nothing and let the restore continue.'),
    ),
  'restore-stopped': ({ at }) =>
    mail(
      'The restore of your account was stopped',
      paragraph('The earlier sign-in details will not be restored.'),
      rows(['When', at]),
      small(BECAUSE_ADDRESS),
      small(
        'If your account was taken over, open the undo link again and use one of your earlier two-factor methods, or contact your operator.',
      ),
    ),
  'account-restored': ({ at }) =>
    mail(
      'Your earlier sign-in details were restored',
      paragraph(
        'The email address, password and two-factor methods from before the latest changes apply again. All sessions were ended, and undo links for these changes no longer work.',
      ),
      rows(['When', at]),
      small(BECAUSE_ADDRESS),
      small(
        'After a takeover, sign in, change your password, and review your two-factor methods and payment methods before you unlock them.',
      ),
    ),
};

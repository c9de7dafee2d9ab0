import type { MethodWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';

export const becauseOwner = (merchant: string) => `You get this mail because you are an owner of ${merchant}.`;

/** English texts of emails about payment methods. */
export const enMethods: MethodWords = {
  'method-change-requested': ({ merchant, store, network, address, requestedBy, effectiveAt, link }) =>
    mail(
      `${store} will receive payments at a new address`,
      paragraph('Compare both ends of the address with the wallet that you expect.'),
      rows(
        ['Store', store],
        ['Network', network],
        ['New address', address],
        ['Asked for by', requestedBy],
        ['Takes effect', effectiveAt],
      ),
      paragraph('If anything is wrong, stop the change. Any owner can do that, and nothing else is affected.'),
      button('Look at it or stop it', link),
      small(becauseOwner(merchant)),
      small('If nobody of yours asked for this, stop it first, then look at who has access to your stores.'),
    ),
  'method-change-cancelled': ({ merchant, store, network, address, cancelledBy, at }) =>
    mail(
      `${store} will not receive payments at a new address after all`,
      paragraph('The change was taken back before it took effect. Nothing else is affected.'),
      rows(['Store', store], ['Network', network], ['Address', address], ['Taken back by', cancelledBy], ['When', at]),
      small(becauseOwner(merchant)),
      small('If the change was wanted, it must be asked for again; the delay then starts anew.'),
    ),
  'method-changed': ({ merchant, store, network, address, at }) =>
    mail(
      `${store} now receives payments at a new address`,
      paragraph('New invoices show this address from now on.'),
      rows(['Store', store], ['Network', network], ['New address', address], ['Since', at]),
      small(becauseOwner(merchant)),
      small('If you do not know this address, sign in at once, remove it and lock all changes.'),
    ),
  'method-removed': ({ merchant, store, network, address, removedBy, at }) =>
    mail(
      `${store} no longer receives payments at an address`,
      paragraph('New invoices no longer show this address. What was asked for there before can still be paid.'),
      rows(['Store', store], ['Network', network], ['Address', address], ['Removed by', removedBy], ['When', at]),
      small(becauseOwner(merchant)),
      small('If this should not have happened, sign in and add the address again; that takes effect after a delay.'),
    ),
  'method-delay-changed': ({ merchant, hours, from }) =>
    mail(
      `New delay for payment-method changes at ${merchant}`,
      paragraph(
        'Your operator changed how long a new payment method waits before it takes effect. A shorter delay applies only after the old one has passed.',
      ),
      rows(['Hours', String(hours)], ['Applies from', from]),
      small(becauseOwner(merchant)),
      small('If no one on your team asked for this, sign in, lock the changes and contact your operator.'),
    ),
  'methods-locked': ({ merchant, lockedBy, at }) =>
    mail(
      `Changes are locked at ${merchant}`,
      paragraph(
        'Changes of payment methods that were waiting are stopped, and no new ones or new API keys can be made.',
      ),
      rows(['Locked by', lockedBy], ['When', at]),
      paragraph('Payments go on as before. An owner can lift the lock after signing in.'),
      small(becauseOwner(merchant)),
      small('If you do not know why, ask whoever locked it before you lift the lock.'),
    ),
  'methods-unlocked': ({ merchant, unlockedBy, at }) =>
    mail(
      `Changes are possible again at ${merchant}`,
      paragraph('Payment methods and API keys can be changed again. Changes that were stopped stay stopped.'),
      rows(['Lifted by', unlockedBy], ['When', at]),
      small(becauseOwner(merchant)),
      small('If this should not have happened, sign in and lock the changes again.'),
    ),
};

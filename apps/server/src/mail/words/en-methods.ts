import type { MethodWords } from '../mail-content.ts';
import { button, mail, paragraph, rows, small } from '../mail-content.ts';

export const becauseOwner = (merchant: string) => `You received this email because you are an owner of ${merchant}.`;

export const enMethods: MethodWords = {
  'method-change-requested': ({ merchant, store, network, address, requestedBy, effectiveAt, link }) =>
    mail(
      `${store} will receive payments at a new address`,
      paragraph('Check that the start and the end of the address match your wallet.'),
      rows(
        ['Store', store],
        ['Network', network],
        ['New address', address],
        ['Requested by', requestedBy],
        ['Takes effect', effectiveAt],
      ),
      paragraph('If anything is wrong, stop the change. Any owner can do this, and nothing else is affected.'),
      button('Review or stop the change', link),
      small(becauseOwner(merchant)),
      small('If no one on your team requested this, stop it now and review who has access to your stores.'),
    ),
  'method-change-cancelled': ({ merchant, store, network, address, cancelledBy, at }) =>
    mail(
      `The address change for ${store} was cancelled`,
      paragraph('It was cancelled before it took effect, so the store continues to receive payments as before.'),
      rows(['Store', store], ['Network', network], ['Address', address], ['Cancelled by', cancelledBy], ['When', at]),
      small(becauseOwner(merchant)),
      small('If you still want to use this address, request the change again. The full waiting time applies.'),
    ),
  'method-changed': ({ merchant, store, network, address, at }) =>
    mail(
      `${store} now receives payments at a new address`,
      paragraph('New invoices now use this address.'),
      rows(['Store', store], ['Network', network], ['New address', address], ['Since', at]),
      small(becauseOwner(merchant)),
      small('If you do not recognize this address, sign in immediately, remove it and lock all changes.'),
    ),
  'method-removed': ({ merchant, store, network, address, removedBy, at }) =>
    mail(
      `A receiving address was removed from ${store}`,
      paragraph('New invoices no longer use this address. Open ones still accept payments to it.'),
      rows(['Store', store], ['Network', network], ['Address', address], ['Removed by', removedBy], ['When', at]),
      small(becauseOwner(merchant)),
      small('If this was a mistake, sign in and add the address again. The usual waiting time applies.'),
    ),
  'method-delay-changed': ({ merchant, hours, from }) =>
    mail(
      `The waiting time for payment method changes at ${merchant} has changed`,
      paragraph(
        'Your operator changed how long a new payment method waits before it takes effect. A shorter waiting time applies only after the current one has passed.',
      ),
      rows(['Waiting time, in hours', String(hours)], ['Applies from', from]),
      small(becauseOwner(merchant)),
      small('If no one on your team requested this, sign in, lock all changes and contact your operator.'),
    ),
  'methods-locked': ({ merchant, lockedBy, at }) =>
    mail(
      `Changes are locked at ${merchant}`,
      paragraph(
        'All pending payment method changes were stopped. New changes and new API keys are not possible until an owner unlocks changes.',
      ),
      rows(['Locked by', lockedBy], ['When', at]),
      paragraph('Payments are not affected. An owner can unlock changes after signing in.'),
      small(becauseOwner(merchant)),
      small('If you do not know why, ask the person who locked changes before you unlock them.'),
    ),
  'methods-unlocked': ({ merchant, unlockedBy, at }) =>
    mail(
      `Changes are unlocked at ${merchant}`,
      paragraph('Payment methods and API keys can be changed again. Stopped changes are not resumed.'),
      rows(['Unlocked by', unlockedBy], ['When', at]),
      small(becauseOwner(merchant)),
      small('If this was a mistake, sign in and lock changes again.'),
    ),
};

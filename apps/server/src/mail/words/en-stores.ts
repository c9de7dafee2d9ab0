import type { StoreWords } from '../mail-content.ts';
import { mail, paragraph, rows, small } from '../mail-content.ts';
import { becauseOwner } from './en-methods.ts';

const moreOf = (more: number) =>
  more > 0 ? [paragraph(`Further changes to stores: ${more}. The audit log lists all of them.`)] : [];

export const enStores: StoreWords = {
  'api-key-changed': ({ merchant, store, hint, oldEndsAt, changedBy, at }) =>
    mail(
      `${store} has a new API key`,
      paragraph('The old key is rejected after it expires. Switch your programs to the new one before then.'),
      rows(
        ['Store', store],
        ['New key ends in', hint],
        ['Old key expires', oldEndsAt],
        ['Changed by', changedBy],
        ['When', at],
      ),
      small(becauseOwner(merchant)),
      small('If no one on your team did this, sign in immediately, lock all changes and review who has access.'),
    ),
  'webhook-secret-changed': ({ merchant, store, oldEndsAt, endpoint, changedBy, at }) =>
    mail(
      `${store} has a new webhook secret`,
      paragraph('Webhooks are now signed with the new secret, and also with the old one until it expires.'),
      rows(
        ['Store', store],
        ...(endpoint === null ? [] : [['Endpoint', endpoint] as const]),
        ['Old secret expires', oldEndsAt],
        ['Changed by', changedBy],
        ['When', at],
      ),
      small(becauseOwner(merchant)),
      small('If no one on your team did this, sign in immediately, lock all changes and review who has access.'),
    ),
  'webhook-endpoint-added': ({ merchant, store, url, changedBy, at }) =>
    mail(
      `${store} has a new webhook endpoint`,
      paragraph('Events of this store are now also sent to this URL, signed with a secret of its own.'),
      rows(['Store', store], ['Endpoint', url], ['Added by', changedBy], ['When', at]),
      small(becauseOwner(merchant)),
      small('If no one on your team did this, sign in immediately, delete the endpoint and review who has access.'),
    ),
  'store-switched': ({ merchant, store, active, changedBy, at, more }) =>
    mail(
      active ? `${store} was switched on` : `${store} was switched off`,
      paragraph(
        active
          ? 'The store accepts new invoices again.'
          : 'The store does not accept new invoices. Open invoices can still be paid, and you are still notified.',
      ),
      rows(['Store', store], ['Changed by', changedBy], ['When', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('If this was a mistake, sign in and review the store, or contact your operator.'),
    ),
  'brand-changed': ({ merchant, store, contact, changedBy, at, more }) =>
    mail(
      contact ? `The support contact of ${store} has changed` : `The payment page appearance of ${store} has changed`,
      paragraph(
        contact
          ? 'Payment pages now show the new support contact, which customers use when they have a problem.'
          : 'Payment pages now show the new name, color or logo.',
      ),
      rows(['Store', store], ['Changed by', changedBy], ['When', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('If no one on your team did this, sign in, correct it in the dashboard and review who has access.'),
    ),
  'https-only-off': ({ merchant, store, changedBy, at, more }) =>
    mail(
      `${store} can now send webhooks without HTTPS`,
      paragraph(
        'The setting “Require HTTPS for webhooks” was turned off. Webhooks to http addresses are not encrypted.',
      ),
      rows(['Store', store], ['Changed by', changedBy], ['When', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('If no one on your team did this, sign in, turn the setting on again and review who has access.'),
    ),
  'payment-attached': ({ merchant, store, invoice, changedBy, at, more }) =>
    mail(
      `A payment was attached to ${invoice}`,
      paragraph('The payment completes the invoice, although it did not match. This cannot be undone.'),
      rows(['Store', store], ['Invoice', invoice], ['Attached by', changedBy], ['When', at]),
      ...moreOf(more),
      small(becauseOwner(merchant)),
      small('If no one on your team did this, sign in and review who has access.'),
    ),
  'audit-exported': ({ merchant, changedBy, at }) =>
    mail(
      `The audit log of ${merchant} was exported`,
      paragraph('The file shows who works for the merchant, from where, and what they changed.'),
      rows(['Exported by', changedBy], ['When', at]),
      small(becauseOwner(merchant)),
      small('If no one on your team did this, sign in and review who has access.'),
    ),
};

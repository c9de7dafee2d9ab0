import type { JSX } from 'preact';
import { h } from 'preact';
import type { CheckoutView } from './checkout-view.ts';
import { LONG_AMOUNT } from './quote-lines.ts';
import type { Words } from './text.ts';

export function Summary({ view, words }: { view: CheckoutView; words: Words }): JSX.Element {
  const { store, priced } = view;
  const total = priced?.amount ?? `$${view.amountUsd}`;
  return h(
    'header',
    { class: 'summary' },
    h(
      'div',
      { class: 'store' },
      store.logoPath
        ? h('img', { class: 'logo', src: store.logoPath, alt: '', width: 48, height: 48 })
        : h('span', { class: 'logo', 'aria-hidden': 'true' }, String.fromCodePoint(store.name.codePointAt(0) ?? 0x20)),
      h(
        'p',
        null,
        h('span', { class: 'quiet small' }, words.text('payTo')),
        h('strong', null, h('bdi', null, store.name)),
      ),
    ),
    h(
      'p',
      { class: total.length > LONG_AMOUNT ? 'total is-long' : 'total', dir: 'ltr' },
      h('span', null, total),
      !priced && [' ', h('small', null, 'USD')],
    ),
    priced &&
      h('p', { class: 'quiet small rate' }, h('bdi', { dir: 'ltr' }, `$${view.amountUsd} USD · ${priced.rate}`)),
    view.name && h('p', { class: 'order' }, h('bdi', null, view.name)),
    view.description && h('p', { class: 'quiet description' }, h('bdi', null, view.description)),
    h('p', { class: 'quiet small invoice' }, words.text('invoice'), ' ', h('bdi', { class: 'code' }, view.transId)),
  );
}

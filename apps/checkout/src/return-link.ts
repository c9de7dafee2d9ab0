import type { JSX } from 'preact';
import { h } from 'preact';
import type { CheckoutView } from './checkout-view.ts';
import type { Page } from './page.ts';

export function isReturnUrl(url: string | null): url is string {
  return url !== null && /^https?:\/\//i.test(url);
}

/** Whether the page returns to the store automatically: not while it shows a message to read. */
export function returnsByItself({ step, payment, arrivals, returnUrl }: CheckoutView): boolean {
  return step === 'paid' && payment?.late === false && arrivals.length === 0 && isReturnUrl(returnUrl);
}

export function ReturnLink({ page: { view, words, moment, act } }: { page: Page }): JSX.Element | null {
  if (!isReturnUrl(view.returnUrl)) return null;
  return h(
    'div',
    { class: 'return' },
    h(
      'a',
      { class: 'button button-main', href: view.returnUrl, rel: 'noreferrer' },
      h('span', { class: 'clip' }, words.say('returnToShop', { store: view.store.name })),
    ),
    moment.returnIn !== null &&
      h(
        'p',
        { class: 'returning' },
        h('span', null, words.say('returningIn', { count: moment.returnIn })),
        h('button', { type: 'button', class: 'link', onClick: act.stay }, words.text('stay')),
      ),
  );
}

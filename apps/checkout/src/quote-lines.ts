import type { JSX } from 'preact';
import { h } from 'preact';
import type { QuoteView } from './checkout-view.ts';
import { icon, mark } from './icons.ts';
import type { CopyTarget, Page } from './page.ts';

/** Warning, amount and address of a quote: misreading these costs money. */

/** Longer amounts are set smaller, so that no line breaks inside one. */
export const LONG_AMOUNT = 12;
const TAIL_DIGITS = 4;
const KEPT_DECIMALS = 2;

/** Splits off the last digits, which distinguish this payment; the first two decimals are never marked. */
export function splitAmount(amount: string): { head: string; tail: string } {
  const point = amount.indexOf('.');
  if (point === -1) return { head: amount, tail: '' };
  const start = Math.max(point + 1 + KEPT_DECIMALS, amount.length - TAIL_DIGITS);
  return { head: amount.slice(0, start), tail: amount.slice(start) };
}

const GROUP_CHARACTERS = 4;
const ENDING_CHARACTERS = 6;

/** Groups of four, and the last six characters, which the payer compares. */
export function splitAddress(address: string): { groups: string[]; ending: string } {
  const body = address.slice(0, -ENDING_CHARACTERS);
  const groups = body.match(new RegExp(`.{1,${String(GROUP_CHARACTERS)}}`, 'g')) ?? [];
  return { groups, ending: address.slice(-ENDING_CHARACTERS) };
}

type Props = { page: Page; quote: QuoteView };

function copyButton({ words, moment, act }: Page, target: CopyTarget, value: string): JSX.Element {
  const copied = moment.copied === target;
  return h(
    'button',
    {
      type: 'button',
      class: copied ? 'copy scripted is-copied' : 'copy scripted',
      'aria-label': words.text(copied ? 'copied' : `copy${target}`),
      onClick: () => act.copy(target, value),
    },
    icon(copied ? 'check' : 'copy'),
    h('span', null, words.text(copied ? 'copied' : 'copy')),
  );
}

export function WarningLine({ page: { words }, quote }: Props): JSX.Element {
  const { token, networkName: network, standard } = quote;
  const values = { token, network, standard };
  return h(
    'div',
    { class: 'warning' },
    h('div', { class: 'marks' }, mark('token', token), mark('network', quote.network)),
    h(
      'p',
      null,
      h('strong', null, words.say(standard === '' ? 'sendOnlyPlain' : 'sendOnly', values)),
      h('span', null, words.text('sendOnlyWhy')),
      quote.directOnly && h('span', null, words.text('directOnly')),
    ),
  );
}

export function AmountLine({ page, quote }: Props): JSX.Element {
  const { words } = page;
  const { head, tail } = splitAmount(quote.amount);
  return h(
    'div',
    { class: 'line' },
    h('h2', { class: 'label' }, words.text('amountLabel')),
    h(
      'div',
      { class: 'line-row' },
      h(
        'p',
        { class: quote.amount.length > LONG_AMOUNT ? 'amount is-long' : 'amount', dir: 'ltr' },
        h('span', { class: 'amount-number' }, head, tail !== '' && h('mark', null, tail)),
        ' ',
        h('span', { class: 'amount-token' }, quote.token),
      ),
      copyButton(page, 'Amount', quote.amount),
    ),
    tail !== '' && h('p', { class: 'quiet small' }, words.text('amountNote')),
  );
}

export function AddressLine({ page, quote }: Props): JSX.Element {
  const { words } = page;
  const { groups, ending } = splitAddress(quote.address);
  return h(
    'div',
    { class: 'line' },
    h('h2', { class: 'label' }, words.text('addressLabel')),
    h(
      'div',
      { class: 'line-row' },
      h(
        'p',
        { class: 'address', dir: 'ltr', translate: 'no' },
        groups.map((group, index) => h('span', { key: index }, group)),
        h('b', null, ending),
      ),
      copyButton(page, 'Address', quote.address),
    ),
    h('p', { class: 'quiet small' }, words.text('addressNote')),
  );
}

/** Open on wide screens, folded on phones, which cannot scan themselves. */
export function QrCode({ page: { words }, quote }: Props): JSX.Element {
  return h(
    'details',
    { class: 'qr' },
    h('summary', { class: 'button' }, icon('qr'), words.text('qrShow')),
    h(
      'figure',
      null,
      h('div', {
        class: 'qr-code',
        role: 'img',
        'aria-label': `${words.text('qrLabel')} ${quote.address}`,
        dangerouslySetInnerHTML: { __html: quote.qrSvg },
      }),
      h('figcaption', { class: 'quiet small' }, words.text('qrNote')),
    ),
  );
}

import type { ComponentChildren, JSX } from 'preact';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { languageOf } from './language.ts';
import type { ReceiptInput } from './server-contract.ts';
import { speak } from './text.ts';
import { utcText } from './utc-text.ts';

function row(term: string, value: ComponentChildren): JSX.Element {
  return h('div', null, h('dt', null, term), h('dd', null, value));
}

/** Renders a paid invoice's receipt: sum, dotted tear, and purpose. Server only. */
export function renderReceipt({
  language,
  storeName,
  name,
  transId,
  amountUsd,
  priced,
  payment,
}: ReceiptInput): string {
  const words = speak(language, languageOf(language).phrases);
  const { amount, token, networkName, paidAtMs } = payment;
  return renderToString(
    h(
      'section',
      null,
      h('h2', { class: 'label' }, words.text('receipt')),
      h(
        'p',
        { class: 'receipt-total' },
        h('bdi', { dir: 'ltr' }, priced ? priced.amount : [`$${amountUsd} `, h('small', null, 'USD')]),
      ),
      priced && h('p', { class: 'quiet small' }, h('bdi', { dir: 'ltr' }, `$${amountUsd} USD · ${priced.rate}`)),
      h('p', null, h('bdi', null, storeName)),
      h('div', { class: 'tear', 'aria-hidden': 'true' }),
      h(
        'dl',
        null,
        name !== null && row(words.text('receiptFor'), h('bdi', null, name)),
        row(words.text('invoice'), h('bdi', { class: 'code' }, transId)),
        row(words.text('receiptPaid'), [
          h('bdi', { class: 'number' }, `${amount} ${token}`),
          ' · ',
          h('bdi', null, networkName),
        ]),
        row(
          words.text('receiptDate'),
          h('time', { dateTime: new Date(paidAtMs).toISOString(), dir: 'ltr' }, utcText(paidAtMs)),
        ),
      ),
    ),
  );
}

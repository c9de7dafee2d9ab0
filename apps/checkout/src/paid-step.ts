import type { ComponentChildren, JSX } from 'preact';
import { h } from 'preact';
import { Arrivals } from './arrivals.ts';
import { icon } from './icons.ts';
import { note } from './note.ts';
import type { Page } from './page.ts';
import { ReturnLink } from './return-link.ts';
import type { StepProps } from './steps.ts';
import { TransactionLine } from './steps.ts';

/** Writes a time in UTC: the same on the server, in every browser and on paper. */
function utcText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function row(term: string, value: ComponentChildren): JSX.Element {
  return h('div', null, h('dt', null, term), h('dd', null, value));
}

function Receipt({ page: { view, words } }: { page: Page }): JSX.Element | null {
  const { payment } = view;
  if (!payment) return null;
  return h(
    'section',
    { class: 'receipt' },
    h('h2', null, words.text('receipt')),
    h(
      'dl',
      null,
      row(words.text('receiptShop'), h('bdi', null, view.store.name)),
      view.name && row(words.text('receiptFor'), h('bdi', null, view.name)),
      row(words.text('invoice'), h('bdi', { class: 'code' }, view.transId)),
      row(words.text('receiptTotal'), h('bdi', null, `$${view.amountUsd} USD`)),
      row(words.text('receiptPaid'), [
        h('bdi', { class: 'number' }, `${payment.amount} ${payment.token}`),
        ' · ',
        h('bdi', null, payment.networkName),
      ]),
      row(
        words.text('receiptDate'),
        h('time', { dateTime: new Date(payment.paidAtMs).toISOString(), dir: 'ltr' }, utcText(payment.paidAtMs)),
      ),
    ),
  );
}

export function PaidStep({ page }: StepProps): JSX.Element {
  const { words, view } = page;
  const { payment } = view;
  return h(
    'div',
    { class: 'step' },
    h('p', { class: 'lead' }, words.say('paidIntro', { store: view.store.name })),
    payment?.late && note('plain', words.text('paidLate')),
    h(ReturnLink, { page }),
    h(Receipt, { page }),
    payment && h(TransactionLine, { page, payment }),
    h(
      'button',
      { type: 'button', class: 'button scripted unprinted', onClick: () => window.print() },
      icon('print'),
      words.text('print'),
    ),
    h(Arrivals, { page }),
  );
}

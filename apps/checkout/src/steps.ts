import type { JSX } from 'preact';
import { h } from 'preact';
import { Arrivals } from './arrivals.ts';
import type { PaymentView } from './checkout-view.ts';
import { Countdown } from './countdown.ts';
import { fold } from './fold.ts';
import { MethodList } from './method-list.ts';
import { note } from './note.ts';
import type { Page } from './page.ts';
import { AddressLine, AmountLine, QrCode, WarningLine } from './quote-lines.ts';
import { ReturnLink } from './return-link.ts';
import { TransactionForm } from './transaction-form.ts';
import { WalletButtons } from './wallet-buttons.ts';

export type StepProps = { page: Page };

export function ChooseStep({ page }: StepProps): JSX.Element {
  return h(
    'div',
    { class: 'step' },
    h('p', { class: 'quiet' }, page.words.text('chooseIntro')),
    h(Arrivals, { page }),
    h(MethodList, { page }),
    h(Countdown, { page }),
  );
}

/** HTML that the server has rendered; nothing where there is none. */
export const rendered = (name: string, html: string) =>
  html !== '' && h('div', { class: name, dangerouslySetInnerHTML: { __html: html } });

function ChangeMethod({ page }: StepProps): JSX.Element | null {
  if (!page.view.selectable) return null;
  return fold(page.words.text('changeMethod'), page.moment.selectProblem !== null, h(MethodList, { page }));
}

function OtherQuotes({ page: { view, words } }: { page: Page }): JSX.Element | null {
  if (view.otherQuotes.length === 0) return null;
  const methods = view.otherQuotes.map(({ token, networkName }) => `${token} (${networkName})`).join(', ');
  return h('p', { class: 'quiet small' }, words.say('otherQuotes', { methods }));
}

export function PayStep({ page }: StepProps): JSX.Element | null {
  const { quote } = page.view;
  if (!quote) return null;
  return h(
    'div',
    { class: 'step', key: `${quote.token} ${quote.network} ${quote.amount}` },
    h(WarningLine, { page, quote }),
    h(Arrivals, { page }),
    h(
      'div',
      { class: 'quote' },
      h('div', { class: 'lines' }, h(AmountLine, { page, quote }), h(AddressLine, { page, quote })),
      quote.qrSvg && h(QrCode, { page, quote }),
    ),
    rendered('guide', quote.guide),
    h(WalletButtons, { page, quote }),
    h(
      'div',
      { class: 'waiting' },
      h('p', null, h('span', { class: 'pulse', 'aria-hidden': 'true' }), page.words.text('waiting')),
      h(Countdown, { page }),
    ),
    h(OtherQuotes, { page }),
    h(
      'div',
      { class: 'folds' },
      rendered('help', quote.help),
      h(TransactionForm, { page, open: false }),
      h(ChangeMethod, { page }),
    ),
  );
}

export function TransactionLine({ page: { words }, payment }: { page: Page; payment: PaymentView }): JSX.Element {
  return h(
    'div',
    { class: 'line' },
    h('h2', { class: 'label' }, words.text('transaction')),
    h('p', { class: 'hash', dir: 'ltr' }, payment.txId),
    payment.explorerUrl &&
      h(
        'a',
        { class: 'link', href: payment.explorerUrl, target: '_blank', rel: 'noopener noreferrer' },
        words.text('viewTransaction'),
        h('span', { class: 'hidden' }, ` ${words.text('opensNewTab')}`),
      ),
  );
}

export function ProcessingStep({ page }: StepProps): JSX.Element | null {
  const { words, view } = page;
  const { payment } = view;
  if (!payment) return null;
  const { confirmations } = payment;
  const said = confirmations ? words.text('confirmations', confirmations) : words.text('confirming');
  return h(
    'div',
    { class: 'step' },
    h(
      'p',
      { class: 'lead' },
      words.say('processingIntro', { amount: `${payment.amount} ${payment.token}`, network: payment.networkName }),
    ),
    h(
      'div',
      { class: 'confirmations' },
      h('progress', {
        'aria-label': said,
        max: confirmations?.wanted ?? 1,
        ...(confirmations && { value: Math.min(confirmations.seen, confirmations.wanted) }),
      }),
      h('p', { 'aria-hidden': 'true' }, said),
    ),
    note('good', words.text('processingClose')),
    h(TransactionLine, { page, payment }),
    h(Arrivals, { page }),
  );
}

export function CheckingStep({ page }: StepProps): JSX.Element {
  const { words } = page;
  return h(
    'div',
    { class: 'step' },
    h('p', { class: 'lead' }, words.text('checkingIntro')),
    note('plain', words.text('checkingSent')),
    h(Arrivals, { page }),
    h('div', { class: 'folds' }, h(TransactionForm, { page, open: true })),
  );
}

export function ExpiredStep({ page }: StepProps): JSX.Element {
  const { words, view } = page;
  return h(
    'div',
    { class: 'step' },
    h('p', { class: 'lead' }, words.text('expiredIntro')),
    h(Arrivals, { page }),
    view.quote &&
      h(
        'section',
        { class: 'did-pay' },
        h('h2', null, words.text('expiredPaid')),
        h('p', { class: 'quiet' }, words.text('expiredPaidHelp')),
        h('div', { class: 'folds' }, h(TransactionForm, { page, open: true })),
      ),
    h(ReturnLink, { page }),
  );
}

import type { ComponentChildren, JSX } from 'preact';
import { h } from 'preact';
import type { PaymentView } from './checkout-view.ts';
import { fold } from './fold.ts';
import { MethodList } from './method-list.ts';
import { note } from './note.ts';
import type { Page } from './page.ts';
import { AddressLine, AmountLine, QrCode, WarningLine } from './quote-lines.ts';
import { rendered } from './rendered.ts';
import { ReturnLink } from './return-link.ts';
import { TransactionForm } from './transaction-form.ts';
import { utcText } from './utc-text.ts';
import { WalletButtons, WalletLinks } from './wallet-buttons.ts';

export type StepProps = { page: Page };

export function ChooseStep({ page }: StepProps): JSX.Element {
  return h(
    'div',
    { class: 'step' },
    h('p', { class: 'quiet' }, page.words.text('chooseIntro')),
    rendered('arrivals', page.view.arrivalsNote),
    h(MethodList, { page }),
  );
}

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
    rendered('arrivals', page.view.arrivalsNote),
    h(
      'div',
      { class: 'quote' },
      h('div', { class: 'lines' }, h(AmountLine, { page, quote }), h(AddressLine, { page, quote })),
      h(WalletLinks, { page, quote }),
      quote.qrSvg && h(QrCode, { page, quote }),
    ),
    rendered('guide', quote.guide),
    h(WalletButtons, { page, quote }),
    h(
      'p',
      { class: 'waiting' },
      h('strong', null, h('i', { class: 'pulse' }), page.words.text('waiting')),
      page.words.text('waitingHelp'),
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
    rendered('arrivals', page.view.arrivalsNote),
  );
}

export function CheckingStep({ page }: StepProps): JSX.Element {
  const { words } = page;
  return h(
    'div',
    { class: 'step' },
    h('p', { class: 'lead' }, words.text('checkingIntro')),
    note('plain', words.text('checkingSent')),
    rendered('arrivals', page.view.arrivalsNote),
    h('div', { class: 'folds' }, h(TransactionForm, { page, open: true })),
  );
}

type Told = { page: Page; lead: ComponentChildren; asks: string; help: string };

/** An invoice that can no longer be paid, and help for those who have paid. */
function Ended({ page, lead, asks, help }: Told): JSX.Element {
  return h(
    'div',
    { class: 'step' },
    h('p', { class: 'lead' }, lead),
    rendered('arrivals', page.view.arrivalsNote),
    page.view.quote &&
      h(
        'section',
        { class: 'did-pay' },
        h('h2', null, asks),
        h('p', { class: 'quiet' }, help),
        h('div', { class: 'folds' }, h(TransactionForm, { page, open: true })),
      ),
    h(ReturnLink, { page }),
  );
}

export function ExpiredStep({ page }: StepProps): JSX.Element {
  const { words } = page;
  const told = { asks: words.text('expiredPaid'), help: words.text('expiredPaidHelp') };
  return h(Ended, { page, lead: words.text('expiredIntro'), ...told });
}

export function CancelledStep({ page }: StepProps): JSX.Element {
  const { words, view } = page;
  const lead = words.say('cancelledIntro', { store: view.store.name, time: utcText(view.cancelledAtMs ?? 0) });
  return h(Ended, { page, lead, asks: words.text('cancelledPaid'), help: words.text('cancelledPaidHelp') });
}

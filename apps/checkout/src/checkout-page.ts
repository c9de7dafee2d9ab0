import type { FunctionComponent, JSX } from 'preact';
import { h } from 'preact';
import type { CheckoutStep, CheckoutView } from './checkout-view.ts';
import { icon } from './icons.ts';
import type { Page } from './page.ts';
import { PaidStep } from './paid-step.ts';
import type { StepProps } from './steps.ts';
import { CheckingStep, ChooseStep, ExpiredStep, PayStep, ProcessingStep } from './steps.ts';
import type { Words } from './text.ts';

const STEPS: Record<CheckoutStep, FunctionComponent<StepProps>> = {
  choose: ChooseStep,
  pay: PayStep,
  checking: CheckingStep,
  processing: ProcessingStep,
  paid: PaidStep,
  expired: ExpiredStep,
};

export function documentTitle(words: Words, { step, store }: CheckoutView): string {
  return `${words.text(`title.${step}`)} · ${store.name}`;
}

function Summary({ page: { view, words } }: { page: Page }): JSX.Element {
  const { store } = view;
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
    h('p', { class: 'total', dir: 'ltr' }, h('span', null, `$${view.amountUsd}`), ' ', h('small', null, 'USD')),
    view.name && h('p', { class: 'order' }, h('bdi', null, view.name)),
    view.description && h('p', { class: 'quiet description' }, h('bdi', null, view.description)),
    h('p', { class: 'quiet small invoice' }, words.text('invoice'), ' ', h('bdi', null, view.transId)),
  );
}

export function CheckoutPage({ page }: { page: Page }): JSX.Element {
  const { view, words, moment } = page;
  return h(
    'div',
    { class: `page is-${view.step}` },
    h(Summary, { page }),
    h(
      'main',
      { class: 'card' },
      h(
        'h1',
        { tabIndex: -1 },
        view.step === 'paid' && h('span', { class: 'seal' }, icon('check')),
        words.text(`title.${view.step}`),
      ),
      h(STEPS[view.step], { key: view.step, page }),
      !moment.connected && h('p', { class: 'quiet small reconnecting' }, words.text('reconnecting')),
    ),
    h('p', { class: 'hidden', role: 'status', 'aria-live': 'polite' }, moment.announcement),
  );
}

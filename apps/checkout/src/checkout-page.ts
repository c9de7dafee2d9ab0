import type { FunctionComponent, JSX } from 'preact';
import { h } from 'preact';
import type { CheckoutStep, CheckoutView } from './checkout-view.ts';
import { Countdown } from './countdown.ts';
import { icon } from './icons.ts';
import type { Page } from './page.ts';
import { PaidStep } from './paid-step.ts';
import { rendered } from './rendered.ts';
import type { StepProps } from './steps.ts';
import { CancelledStep, CheckingStep, ChooseStep, ExpiredStep, PayStep, ProcessingStep } from './steps.ts';
import type { Words } from './text.ts';

const STEPS: Record<CheckoutStep, FunctionComponent<StepProps>> = {
  choose: ChooseStep,
  pay: PayStep,
  checking: CheckingStep,
  processing: ProcessingStep,
  paid: PaidStep,
  expired: ExpiredStep,
  cancelled: CancelledStep,
};

export function documentTitle(words: Words, { step, store }: CheckoutView): string {
  return `${words.text(`title.${step}`)} · ${store.name}`;
}

/** The part that the browser renders again: everything that can change while a payer looks at the page. */
export function CheckoutPage({ page }: { page: Page }): JSX.Element {
  const { view, words, moment } = page;
  return h(
    'main',
    { class: `card is-${view.step}` },
    h(
      'div',
      { class: 'head' },
      h(
        'h1',
        { tabIndex: -1 },
        view.step === 'paid' && h('span', { class: 'seal' }, icon('check')),
        words.text(`title.${view.step}`),
      ),
      (view.step === 'choose' || view.step === 'pay') && h(Countdown, { page }),
    ),
    // The live region exists even when empty: screen readers often skip one that appears together with its text.
    h('div', { class: 'elsewhere', role: 'status', dangerouslySetInnerHTML: { __html: view.elsewhere ?? '' } }),
    h(STEPS[view.step], { key: view.step, page }),
    rendered('contact', view.contact),
    !moment.connected && h('p', { class: 'quiet small reconnecting' }, words.text('reconnecting')),
    h('p', { class: 'hidden', role: 'status', 'aria-live': 'polite' }, moment.announcement),
  );
}

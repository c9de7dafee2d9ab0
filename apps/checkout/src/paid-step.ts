import type { JSX } from 'preact';
import { h } from 'preact';
import { icon } from './icons.ts';
import { note } from './note.ts';
import { rendered } from './rendered.ts';
import { ReturnLink } from './return-link.ts';
import type { StepProps } from './steps.ts';
import { TransactionLine } from './steps.ts';

export function PaidStep({ page }: StepProps): JSX.Element {
  const { words, view } = page;
  const { payment } = view;
  return h(
    'div',
    { class: 'step' },
    h('p', { class: 'lead' }, words.say('paidIntro', { store: view.store.name })),
    payment?.late && note('plain', words.text('paidLate')),
    h(ReturnLink, { page }),
    rendered('receipt', view.receipt),
    payment && h(TransactionLine, { page, payment }),
    h(
      'button',
      { type: 'button', class: 'button scripted unprinted', onClick: () => window.print() },
      icon('print'),
      words.text('print'),
    ),
    rendered('arrivals', view.arrivalsNote),
  );
}

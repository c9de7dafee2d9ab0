import type { JSX } from 'preact';
import { h } from 'preact';
import type { ArrivalView } from './checkout-view.ts';
import { note } from './note.ts';
import type { Page } from './page.ts';
import type { PhraseKey, Words } from './text.ts';

export function arrivalReason(words: Words, { reason, difference }: ArrivalView): PhraseKey {
  const inexact = reason === 'short' || reason === 'over';
  if (inexact && difference === null) return 'arrival.inexact';
  const key = `arrival.${reason}`;
  return words.has(key) ? key : 'arrival.other';
}

/** Transfers that reached the invoice's addresses without matching it, each with the reason and what to do about it. */
export function Arrivals({ page: { view, words } }: { page: Page }): JSX.Element | null {
  if (view.arrivals.length === 0) return null;
  return h(
    'section',
    { class: 'arrivals' },
    note(
      'bad',
      h('h2', null, words.text('arrivalsTitle')),
      h(
        'ul',
        null,
        view.arrivals.map((arrival) =>
          h(
            'li',
            { key: arrival.txId },
            h(
              'strong',
              null,
              words.say('arrivalOf', { amount: `${arrival.amount} ${arrival.token}`, network: arrival.networkName }),
            ),
            h(
              'span',
              null,
              words.say(arrivalReason(words, arrival), { difference: `${arrival.difference ?? ''} ${arrival.token}` }),
            ),
            h('span', { class: 'hash small', dir: 'ltr' }, arrival.txId),
          ),
        ),
      ),
      h('p', null, words.say('arrivalsHelp', { invoice: view.transId })),
    ),
  );
}

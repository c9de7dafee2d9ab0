import type { JSX } from 'preact';
import { h } from 'preact';
import type { ArrivalView } from './checkout-view.ts';
import { icon } from './icons.ts';
import type { Page } from './page.ts';
import type { PhraseKey } from './text.ts';

const REASONS: Record<string, PhraseKey> = {
  short: 'arrivalShort',
  over: 'arrivalOver',
  late: 'arrivalLate',
  'wrong-token': 'arrivalWrongToken',
  'wrong-network': 'arrivalWrongNetwork',
  'unlisted-token': 'arrivalUnlisted',
  'already-paid': 'arrivalAlreadyPaid',
};

export function arrivalReason({ reason, difference }: ArrivalView): PhraseKey {
  const inexact = reason === 'short' || reason === 'over';
  if (inexact && difference === null) return 'arrivalInexact';
  return (Object.hasOwn(REASONS, reason) && REASONS[reason]) || 'arrivalOther';
}

/** Money that came and does not match: said openly, with what to do about it. */
export function Arrivals({ page: { view, words } }: { page: Page }): JSX.Element | null {
  if (view.arrivals.length === 0) return null;
  return h(
    'section',
    { class: 'note note-bad arrivals' },
    icon('warning'),
    h(
      'div',
      null,
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
              words.say(arrivalReason(arrival), { difference: `${arrival.difference ?? ''} ${arrival.token}` }),
            ),
            h('span', { class: 'hash small', dir: 'ltr' }, arrival.txId),
          ),
        ),
      ),
      h('p', null, words.say('arrivalsHelp', { invoice: view.transId })),
    ),
  );
}

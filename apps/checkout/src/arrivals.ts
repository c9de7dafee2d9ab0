import type { JSX } from 'preact';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { ArrivalView } from './checkout-view.ts';
import { languageOf } from './language.ts';
import { note } from './note.ts';
import type { ArrivalsInput } from './server-contract.ts';
import type { PhraseKey, Words } from './text.ts';
import { speak } from './text.ts';

export function arrivalReason(words: Words, { reason, difference }: ArrivalView): PhraseKey {
  const inexact = reason === 'short' || reason === 'over';
  if (inexact && difference === null) return 'arrival.inexact';
  const key = `arrival.${reason}`;
  return words.has(key) ? key : 'arrival.other';
}

/** The token, with its amount where no sums follow. */
const named = ({ comparison, amount, token }: ArrivalView) => (comparison ? token : `${amount} ${token}`);

/** Requested, received and difference, one per line. */
function sums(words: Words, { comparison, amount, token }: ArrivalView): JSX.Element | null {
  if (!comparison) return null;
  const row = (key: PhraseKey, value: string) =>
    h('div', null, h('dt', null, words.text(key)), h('dd', null, h('bdi', { dir: 'ltr' }, `${value} ${token}`)));
  return h(
    'dl',
    { class: 'sums' },
    row('arrivalAsked', comparison.asked),
    row('arrivalArrived', amount),
    row('arrivalDifference', comparison.difference),
  );
}

/**
 * Renders transfers to the invoice's addresses that did not match, with the reason and what to do. Server only: few
 * payers see it, so its code and texts stay out of the script.
 */
export function renderArrivals({ language, transId, arrivals }: ArrivalsInput): string {
  if (arrivals.length === 0) return '';
  const words = speak(language, languageOf(language).phrases);
  const items = arrivals.map((arrival) =>
    h(
      'li',
      null,
      h('strong', null, words.say('arrivalOf', { amount: named(arrival), network: arrival.networkName })),
      sums(words, arrival),
      h(
        'span',
        null,
        words.say(arrivalReason(words, arrival), { difference: `${arrival.difference ?? ''} ${arrival.token}` }),
      ),
      h('span', { class: 'hash small', dir: 'ltr' }, arrival.txId),
    ),
  );
  const help = h('p', null, words.say('arrivalsHelp', { invoice: transId }));
  return renderToString(note('warn', h('h2', null, words.text('arrivalsTitle')), h('ul', null, items), help));
}

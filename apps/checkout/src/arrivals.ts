import type { JSX } from 'preact';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { ArrivalView } from './checkout-view.ts';
import { languageOf } from './language.ts';
import { note } from './note.ts';
import { HASH_MAX_CHARACTERS } from './transaction-form.ts';
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

/** A form that submits a transaction; the page's script sends it without leaving the page. */
function claimForm({ language, checkPath }: ArrivalsInput, ...children: JSX.Element[]): JSX.Element {
  return h(
    'form',
    { method: 'post', action: checkPath, class: 'claim' },
    h('input', { type: 'hidden', name: 'lang', value: language }),
    ...children,
  );
}

function arrivalItem(words: Words, input: ArrivalsInput, arrival: ArrivalView): JSX.Element {
  const { claim, txId } = arrival;
  return h(
    'li',
    null,
    h('strong', null, words.say('arrivalOf', { amount: named(arrival), network: arrival.networkName })),
    sums(words, arrival),
    h(
      'span',
      null,
      words.say(arrivalReason(words, arrival), { difference: `${arrival.difference ?? ''} ${arrival.token}` }),
    ),
    h('span', { class: 'hash small', dir: 'ltr' }, txId),
    claim === 'claimed' && h('strong', null, words.text('arrivalClaimed')),
    claim === 'open' &&
      claimForm(
        input,
        h('input', { type: 'hidden', name: 'tx', value: txId }),
        h('button', { class: 'button' }, words.text('arrivalConfirm')),
      ),
  );
}

const isInexact = ({ reason }: ArrivalView) => reason === 'short' || reason === 'over';

/** A payment that may be another customer's: only the question, and a field for the hash. */
function question(words: Words, input: ArrivalsInput): JSX.Element {
  return note(
    'warn',
    h('h2', null, words.text('arrivalAsk')),
    h('p', null, words.text(input.isClaimed ? 'arrivalAskClaimed' : 'arrivalAskHelp')),
    claimForm(
      input,
      h('label', { class: 'label', for: 'claim-tx' }, words.text('checkLabel')),
      h(
        'div',
        { class: 'check-row' },
        h('input', {
          id: 'claim-tx',
          name: 'tx',
          dir: 'ltr',
          required: true,
          maxlength: HASH_MAX_CHARACTERS,
          autocomplete: 'off',
          autocapitalize: 'none',
          spellcheck: false,
        }),
        h('button', { class: 'button' }, words.text('arrivalSubmit')),
      ),
    ),
    h('p', null, h('strong', null, words.text('arrivalRest')), ' ', words.text('arrivalRestWhy')),
  );
}

/**
 * Renders transfers to the invoice's addresses that did not match, with the reason and what to do. Server only: few
 * payers see it, so its code and texts stay out of the script.
 */
export function renderArrivals(input: ArrivalsInput): string {
  const { language, transId, arrivals, isAsked } = input;
  const words = speak(language, languageOf(language).phrases);
  const asked = isAsked ? renderToString(question(words, input)) : '';
  if (arrivals.length === 0) return asked;
  const title = arrivals.some(({ claim }) => claim === 'open') ? 'arrivalsAsk' : 'arrivalsTitle';
  const items = arrivals.map((arrival) => arrivalItem(words, input, arrival));
  const rest = h('p', null, h('strong', null, words.text('arrivalRest')), ' ', words.text('arrivalRestWhy'));
  const help = h('p', null, words.say('arrivalsHelp', { invoice: transId }));
  const shown = note(
    'warn',
    h('h2', null, words.text(title)),
    h('ul', null, items),
    ...(arrivals.some(isInexact) ? [rest] : []),
    help,
  );
  return `${renderToString(shown)}${asked}`;
}

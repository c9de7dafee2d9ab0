import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { CheckoutView, TransactionCheck } from './checkout-view.ts';
import { languageOf } from './language.ts';
import { note } from './note.ts';
import type { PhraseKey, Words } from './text.ts';
import { duration, speak } from './text.ts';

function checkAnswer(
  words: Words,
  check: TransactionCheck,
): { key: PhraseKey; values: Record<string, string | number> } {
  const token = check.token ?? '';
  const values = {
    token,
    network: check.networkName ?? '',
    amount: `${check.amount ?? ''} ${token}`.trim(),
    duration: duration(words, check.seconds ?? 0),
    count: check.blocks ?? 0,
  };
  if (check.reason === 'matches' && (check.blocks ?? 0) > 0) return { key: 'checkMatchesBlocks', values };
  return { key: `check.${check.reason}`, values };
}

const TONES: Partial<Record<TransactionCheck['reason'], 'good' | 'plain'>> = {
  matches: 'good',
  'not-found': 'plain',
  pending: 'plain',
  unavailable: 'plain',
};

/** Renders the answer to "I have paid" as HTML. Server only: few payers need it. */
export function renderCheck(language: string, phrases: CheckoutView['phrases'], check: TransactionCheck): string {
  const words = speak(language, languageOf(language).phrases, () => phrases);
  const { key, values } = checkAnswer(words, check);
  return renderToString(note(TONES[check.reason] ?? 'bad', h('p', null, words.say(key, values))));
}

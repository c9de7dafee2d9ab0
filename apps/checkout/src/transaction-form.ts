import type { JSX } from 'preact';
import { h } from 'preact';
import type { TransactionCheck } from './checkout-view.ts';
import { fold } from './fold.ts';
import { note } from './note.ts';
import type { Page } from './page.ts';
import type { PhraseKey, Words } from './text.ts';
import { duration } from './text.ts';

/** The form "I have paid": the payer enters a transaction hash and gets an answer in plain words. */

const HASH_MAX_CHARACTERS = 200;

export function checkAnswer(
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

const FIELD = 'check-tx';

export function TransactionForm({ page, open }: { page: Page; open: boolean }): JSX.Element {
  const { words, moment, act } = page;
  const answer = moment.check && checkAnswer(words, moment.check);
  const onSubmit = (event: Event) => {
    event.preventDefault();
    const field = (event.target as HTMLFormElement).elements.namedItem(FIELD) as HTMLInputElement;
    if (!moment.busy) act.check(field.value.trim());
  };
  return fold(
    words.text('checkTitle'),
    open || answer !== null,
    h(
      'form',
      { method: 'post', action: page.paths.check, onSubmit, class: 'check' },
      h('p', { class: 'quiet', id: 'check-help' }, words.text('checkIntro')),
      page.fixedLanguage && h('input', { type: 'hidden', name: 'lang', value: page.fixedLanguage }),
      h('label', { class: 'label', for: FIELD }, words.text('checkLabel')),
      h(
        'div',
        { class: 'check-row' },
        h('input', {
          id: FIELD,
          name: 'tx',
          dir: 'ltr',
          required: true,
          maxlength: HASH_MAX_CHARACTERS,
          autocomplete: 'off',
          autocapitalize: 'none',
          spellcheck: false,
          'aria-describedby': 'check-help',
        }),
        h(
          'button',
          { class: 'button button-main', 'aria-disabled': moment.busy ? 'true' : undefined },
          words.text('checkButton'),
        ),
      ),
      moment.check &&
        answer &&
        note(TONES[moment.check.reason] ?? 'bad', h('p', null, words.say(answer.key, answer.values))),
      moment.checkProblem && note('bad', words.text(moment.checkProblem)),
    ),
  );
}

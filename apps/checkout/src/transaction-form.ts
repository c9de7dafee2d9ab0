import type { JSX } from 'preact';
import { h } from 'preact';
import { fold } from './fold.ts';
import { note } from './note.ts';
import type { Page } from './page.ts';

/** The form "I have paid": a transaction hash is explained. */

export const HASH_MAX_CHARACTERS = 200;

const FIELD = 'check-tx';

export function TransactionForm({ page, open }: { page: Page; open: boolean }): JSX.Element {
  const { words, moment, act } = page;
  const onSubmit = (event: Event) => {
    event.preventDefault();
    const field = (event.target as HTMLFormElement).elements.namedItem(FIELD) as HTMLInputElement;
    if (!moment.busy) act.check(field.value.trim());
  };
  return fold(
    words.text('checkTitle'),
    open || moment.answer !== '',
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
        h('button', { class: 'button', 'aria-disabled': moment.busy ? 'true' : undefined }, words.text('checkButton')),
      ),
      // The live region exists even when empty, like the page's.
      h('div', { role: 'status', dangerouslySetInnerHTML: { __html: moment.answer } }),
      moment.checkProblem && note('bad', words.text(moment.checkProblem)),
    ),
  );
}

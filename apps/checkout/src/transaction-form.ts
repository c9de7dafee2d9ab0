import type { JSX } from 'preact';
import { h } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { TransactionCheck } from './checkout-view.ts';
import { icon } from './icons.ts';
import type { Page } from './page.ts';
import { postJson } from './post-json.ts';
import type { PhraseKey, Words } from './text.ts';
import { duration } from './text.ts';

/** "I have paid": a transaction hash, and an answer in plain words. */

const ANSWERS: Record<TransactionCheck['reason'], PhraseKey> = {
  'not-found': 'checkNotFound',
  failed: 'checkFailed',
  'other-address': 'checkOtherAddress',
  'unlisted-token': 'checkUnlistedToken',
  'through-contract': 'checkThroughContract',
  'wrong-token': 'checkWrongToken',
  'wrong-network': 'checkWrongNetwork',
  short: 'checkShort',
  over: 'checkOver',
  early: 'checkEarly',
  late: 'checkLate',
  matches: 'checkMatches',
  unavailable: 'checkUnavailable',
  malformed: 'checkMalformed',
};

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
  return { key: ANSWERS[check.reason], values };
}

const TONES: Partial<Record<TransactionCheck['reason'], string>> = {
  matches: 'note-good',
  'not-found': '',
  unavailable: '',
};

function Answer({ words, check }: { words: Words; check: TransactionCheck }): JSX.Element {
  const { key, values } = checkAnswer(words, check);
  const tone = TONES[check.reason] ?? 'note-bad';
  const drawn = check.reason === 'matches' ? 'check' : tone === '' ? 'clock' : 'warning';
  return h('p', { class: `note ${tone}`, id: 'check-answer' }, icon(drawn), h('span', null, words.say(key, values)));
}

type Props = { page: Page; check: TransactionCheck | null; open: boolean };

export function TransactionForm({ page, check, open }: Props): JSX.Element {
  const { words } = page;
  const [answer, setAnswer] = useState(check);
  const [failed, setFailed] = useState(false);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const look = async (tx: string) => {
    setBusy(true);
    const reply = await postJson<{ check?: TransactionCheck }>(page.paths.check, { tx });
    setBusy(false);
    setFailed(!reply?.check);
    setAnswer(reply?.check ?? null);
    if (!reply?.check) return page.announce(words.text('failedToReach'));
    const { key, values } = checkAnswer(words, reply.check);
    page.announce(words.text(key, values));
    if (reply.check.reason === 'matches') page.refresh();
  };
  const onSubmit = (event: Event) => {
    event.preventDefault();
    if (!busy) void look(field.current?.value.trim() ?? '');
  };
  return h(
    'details',
    { class: 'fold', open: open || check !== null },
    h('summary', null, h('span', null, words.text('checkTitle')), icon('chevron')),
    h(
      'form',
      { method: 'post', action: page.paths.check, onSubmit, class: 'check' },
      h('p', { class: 'quiet', id: 'check-help' }, words.text('checkIntro')),
      page.fixedLanguage && h('input', { type: 'hidden', name: 'lang', value: page.fixedLanguage }),
      h('label', { class: 'label', for: 'check-tx' }, words.text('checkLabel')),
      h(
        'div',
        { class: 'check-row' },
        h('input', {
          ref: field,
          id: 'check-tx',
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
          { class: 'button button-main', 'aria-disabled': busy ? 'true' : undefined },
          words.text('checkButton'),
        ),
      ),
      answer && h(Answer, { words, check: answer }),
      failed && h('p', { class: 'note note-bad' }, icon('warning'), h('span', null, words.text('failedToReach'))),
    ),
  );
}

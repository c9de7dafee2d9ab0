import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { fold } from './fold.ts';
import { languageOf } from './language.ts';
import type { GuideInput, PlatformName, WithdrawalInput } from './server-contract.ts';
import { sayTemplate, speak } from './text.ts';

/**
 * Words for payers who pay from an exchange. Only the server makes them, which keeps their code out of the script; pages
 * of payments on chains carry no words for payments inside a platform.
 */

const PREFIX = 'exchange:';

/** Fills in names that are the same wherever a phrase is said; other places stay. */
function named(phrase: string, names: Record<string, string>): string {
  return Object.entries(names).reduce((text, [place, name]) => text.replaceAll(`{${place}}`, name), phrase);
}

/** Phrases that take the place of the page's own, with the names of the platform and of its ids. */
export function exchangePhrases(language: string, { platform, idName }: PlatformName): Record<string, string> {
  return Object.fromEntries(
    Object.entries(languageOf(language).phrases).flatMap(([key, phrase]) =>
      key.startsWith(PREFIX) && typeof phrase === 'string'
        ? [[key.slice(PREFIX.length), named(phrase, { platform, idName })]]
        : [],
    ),
  );
}

/** Renders what the payer does in the platform's app, step by step, as HTML. Only what is typed there stands out. */
export function renderGuide({ language, way, account, amount, platform, idName, token }: GuideInput): string {
  const { phrases } = languageOf(language);
  const steps = [phrases[`guideOpen.${way}`], phrases.guideAccount, phrases.guideAmount, phrases.guideConfirm];
  const names = { platform, idName, token };
  return renderToString(
    h(
      'section',
      null,
      h('h2', { class: 'label' }, named(phrases.guideTitle, names)),
      h(
        'ol',
        null,
        steps.map((step) => h('li', null, sayTemplate(named(step, names), { account, amount }))),
      ),
    ),
  );
}

/** Renders folded help for payers who withdraw from an exchange to the quote's address, as HTML. */
export function renderWithdrawalHelp({ language, amount, networkName, standard }: WithdrawalInput): string {
  const words = speak(language, languageOf(language).phrases);
  const network = standard === '' ? networkName : `${networkName} (${standard})`;
  return renderToString(
    fold(
      words.text('exchangeHelp'),
      false,
      h(
        'ul',
        { class: 'tips' },
        h('li', null, words.say('exchangeHelpExact', { amount })),
        h('li', null, words.text('exchangeHelpFee')),
        h('li', null, words.say('exchangeHelpNetwork', { network })),
      ),
    ),
  );
}

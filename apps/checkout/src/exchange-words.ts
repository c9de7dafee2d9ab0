import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { fold } from './fold.ts';
import { languageOf } from './language.ts';
import type { GuideInput, PlatformName, WithdrawalInput } from './server-contract.ts';
import { sayTemplate, speak } from './text.ts';

/**
 * Texts for payers at an exchange. Server only, and pages of payments on chains carry no texts for payments inside a
 * platform.
 */

const PREFIX = 'exchange:';

/** Fills in constant names; other placeholders stay. */
function named(phrase: string, names: Record<string, string>): string {
  return Object.entries(names).reduce((text, [place, name]) => text.replaceAll(`{${place}}`, name), phrase);
}

/** Phrases in place of the page's own, with the names of platform and ids. */
export function exchangePhrases(language: string, { platform, idName }: PlatformName): Record<string, string> {
  return Object.fromEntries(
    Object.entries(languageOf(language).phrases).flatMap(([key, phrase]) =>
      key.startsWith(PREFIX) && typeof phrase === 'string'
        ? [[key.slice(PREFIX.length), named(phrase, { platform, idName })]]
        : [],
    ),
  );
}

/** Renders the steps in a platform's app as HTML. Only what the payer types is highlighted. */
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

/** Renders folded help for withdrawals to the quote's address as HTML. */
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

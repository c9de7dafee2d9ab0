import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { languageOf } from './language.ts';
import type { ContactInput } from './server-contract.ts';
import { speak } from './text.ts';

const HTTPS = 'https://';

/**
 * Renders the support contact. Server only: few payers see it. An email begins with the invoice's code, and a page is
 * shown by its host, so that payers see where they go.
 */
export function renderContact({ language, storeName, transId, supportUrl, supportEmail }: ContactInput): string {
  const page = supportUrl?.startsWith(HTTPS) === true && URL.canParse(supportUrl) ? supportUrl : null;
  if (page === null && supportEmail === null) return '';
  const words = speak(language, languageOf(language).phrases);
  const mail =
    supportEmail &&
    `mailto:${encodeURIComponent(supportEmail).replace('%40', '@')}?subject=${encodeURIComponent(transId)}`;
  const links = h(
    'p',
    null,
    mail && h('a', { class: 'link', href: mail }, h('bdi', null, supportEmail)),
    page !== null &&
      h(
        'a',
        { class: 'link', href: page, target: '_blank', rel: 'noopener noreferrer' },
        h('bdi', null, new URL(page).host),
        h('span', { class: 'hidden' }, ` ${words.text('opensNewTab')}`),
      ),
  );
  const asked = h(
    'p',
    null,
    h('strong', null, words.text('contactTitle')),
    ' ',
    words.say('contactHelp', { store: storeName, invoice: transId }),
  );
  return renderToString(h('div', { class: 'note' }, h('div', null, asked, links)));
}

import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { renderArrivals } from './arrivals.ts';
import { renderCheck } from './check-answer.ts';
import { CheckoutPage, documentTitle } from './checkout-page.ts';
import type { CheckoutStep, SelectionRefusalCode, StoreView } from './checkout-view.ts';
import { renderContact } from './contact-notice.ts';
import { renderElsewhere } from './elsewhere-notice.ts';
import { exchangePhrases, renderGuide, renderWithdrawalHelp } from './exchange-words.ts';
import { chooseLanguage, LANGUAGES, languageOf } from './language.ts';
import type { Page, PageActions, PageState } from './page.ts';
import { firstMoment } from './page.ts';
import { drawQrCode } from './qr-code.ts';
import { renderReceipt } from './receipt.ts';
import { PANEL_ASKS, PANEL_STYLE, renderPanel, TEST_BAND } from './sandbox-panel-view.ts';
import type * as contract from './server-contract.ts';
import type { NoticeKind, PageAssets, PageInput, PagePaths } from './server-contract.ts';
import { renderSprite } from './sprite.ts';
import { Summary } from './summary.ts';
import type { Phrases } from './text.ts';
import { speak } from './text.ts';
import { renderUnavailable } from './unavailable-note.ts';

export {
  chooseLanguage,
  drawQrCode,
  exchangePhrases,
  PANEL_ASKS,
  PANEL_STYLE,
  renderArrivals,
  renderCheck,
  renderContact,
  renderElsewhere,
  renderGuide,
  renderReceipt,
  renderUnavailable,
  renderWithdrawalHelp,
};

const COLOUR = /^#[0-9a-f]{6}$/i;

/** Inline style with the store's colours, if any. The content security policy has the hash of exactly this text. */
export function accentStyle({ accent, onAccent }: StoreView): string {
  if (accent === null || onAccent === null || !COLOUR.test(accent) || !COLOUR.test(onAccent)) return '';
  return `:root{--accent:${accent};--on-accent:${onAccent}}`;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string) => text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

/**
 * The page's state as JSON for a script element, escaped so that no tag, comment or line separator can begin inside.
 */
function stateText(state: PageState): string {
  const { quote } = state.view;
  const view = { ...state.view, quote: quote && { ...quote, qrSvg: '' } };
  return JSON.stringify({ ...state, view })
    .replaceAll('<', String.raw`\u003c`)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);
}

type DocumentInput = { language: string; title: string; head: string; body: string; assets: PageAssets };

function htmlDocument({ language, title, head, body, assets }: DocumentInput): string {
  const style = assets.style === null ? '' : `<style>${assets.style}</style>`;
  const sheet = assets.stylePath === null ? '' : `<link rel="stylesheet" href="${escape(assets.stylePath)}">`;
  return `<!doctype html>
<html lang="${escape(language)}" dir="${languageOf(language).direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<link rel="icon" href="data:,">
<title>${escape(title)}</title>
${style}${sheet}${head}
</head>
<body>
${body}
</body>
</html>
`;
}

/** Without script the page reloads itself; more slowly while it shows an answer to read. */
const REFRESH_SECONDS = 15;
const REFRESH_ANSWERED_SECONDS = 60;

const STILL: ReadonlySet<CheckoutStep> = new Set(['choose', 'paid', 'expired', 'cancelled']);

function refreshTag({ view, check, refusal, paths }: PageInput): string {
  if (STILL.has(view.step)) return '';
  const seconds = check || refusal ? REFRESH_ANSWERED_SECONDS : REFRESH_SECONDS;
  return `<noscript><meta http-equiv="refresh" content="${String(seconds)};url=${escape(paths.self)}"></noscript>`;
}

/** Footer with a link per language, without script. */
function footer(language: string, paths: PagePaths): string {
  const words = speak(language, languageOf(language).phrases);
  const links = Object.entries(LANGUAGES).map(([code, { name }]) => {
    const current = code === language ? ' aria-current="true"' : '';
    return `<a href="${escape(paths.languages[code] ?? paths.self)}" lang="${code}" hreflang="${code}"${current}>${name}</a>`;
  });
  const label = escape(words.text('language'));
  return `<footer><p>${escape(words.text('footer'))}</p><nav aria-label="${label}">${links.join('')}</nav></footer>`;
}

/** Style and script of the test payer's panel; empty on live pages. */
function panelHead(panel: PageInput['panel']): string {
  if (!panel) return '';
  const script = panel.scriptPath ? `<script type="module" src="${escape(panel.scriptPath)}"></script>` : '';
  return `<style>${PANEL_STYLE}</style>${script}`;
}

/** Phrases that the script does not need. */
const SERVER_ONLY =
  /^(exchange:|exchangeHelp|guide|elsewhere|contact|notice|arrival|receipt|unavailable|check[.M]|refused|payTo|invoice|language|footer)/;

function sentPhrases(phrases: Phrases): Phrases {
  return Object.fromEntries(Object.entries(phrases).filter(([key]) => !SERVER_ONLY.test(key))) as Phrases;
}

export function sayRefusal(language: string, refusal: SelectionRefusalCode): string {
  return languageOf(language).phrases[`refused.${refusal}`];
}

const nothing = () => {};
const NO_ACTIONS: PageActions = {
  copy: nothing,
  search: nothing,
  choose: nothing,
  check: nothing,
  pay: nothing,
  stay: nothing,
};

/** Renders the whole document, which works without script and is hydrated in the browser. */
export function renderPage(input: PageInput): string {
  const { view, language, languageFixed, check, refusal, assets, paths, panel } = input;
  const { phrases } = languageOf(language);
  const problem = refusal && sayRefusal(language, refusal);
  const answer = check ? renderCheck(language, view.phrases, check) : '';
  const state: PageState = { view, language, languageFixed, phrases: sentPhrases(phrases), answer, problem, paths };
  const words = speak(language, phrases, () => view.phrases);
  const fixedLanguage = languageFixed ? language : null;
  const page: Page = { view, words, paths, fixedLanguage, moment: firstMoment(state), act: NO_ACTIONS };
  const script = assets.scriptPath ? `<script type="module" src="${escape(assets.scriptPath)}"></script>` : '';
  const accent = accentStyle(view.store);
  return htmlDocument({
    language,
    title: documentTitle(words, view),
    head: `${accent && `<style>${accent}</style>`}${script}${panelHead(panel)}${refreshTag(input)}`,
    body: `${renderSprite(view)}${panel ? TEST_BAND : ''}<div class="page">${renderToString(h(Summary, { view, words }))}<div id="page">${renderToString(h(CheckoutPage, { page }))}</div></div>${panel ? renderPanel(panel.path, panel.said) : ''}
${footer(language, paths)}
<script type="application/json" id="state">${stateText(state)}</script>`,
    assets,
  });
}

/** Renders a notice when there is no invoice to show. */
export function renderNotice(kind: NoticeKind, language: string, assets: PageAssets): string {
  const words = speak(language, languageOf(language).phrases);
  const title = words.text(`notice.${kind}`);
  const help = escape(words.text(`noticeHelp.${kind}`));
  return htmlDocument({
    language,
    title,
    head: '',
    body: `<div class="page is-notice"><main class="card"><h1>${escape(title)}</h1><p class="lead">${help}</p></main></div>`,
    assets,
  });
}

({
  renderPage,
  renderNotice,
  renderElsewhere,
  renderContact,
  renderArrivals,
  renderCheck,
  renderReceipt,
  renderUnavailable,
  sayRefusal,
  exchangePhrases,
  renderGuide,
  renderWithdrawalHelp,
  drawQrCode,
  accentStyle,
  chooseLanguage,
  PANEL_ASKS,
  PANEL_STYLE,
}) satisfies typeof contract;

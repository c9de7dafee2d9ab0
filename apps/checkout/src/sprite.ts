import type { JSX } from 'preact';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { CheckoutView, MethodName } from './checkout-view.ts';
import { NETWORK_MARKS, TOKEN_MARKS } from './generated/marks.ts';

/**
 * The sprite: a page's marks, rendered once by the server and referenced by the script. Without a mark, letters on a
 * colour are used.
 */

const TONES = ['#0f6b5c', '#2456c4', '#8a4b08', '#6a3fb5', '#a1283f', '#3d4a5e'];
const SANDBOX = /^sandbox:/;

/** By last letter and length, because tokens that payers confuse (USDT and USDC) differ there. */
function toneOf(name: string): string {
  return TONES[(name.charCodeAt(name.length - 1) + name.length) % TONES.length] ?? '';
}

function letters(name: string, count: number): JSX.Element[] {
  const size = count === 1 ? 12 : 7;
  const place = { x: 12, y: 12 + size * 0.36, 'font-size': size, 'font-weight': 700, 'text-anchor': 'middle' };
  return [
    h('path', { fill: toneOf(name), d: 'M0 0h24v24H0z' }),
    h('text', { ...place, fill: '#fff' }, name.slice(0, count).toUpperCase()),
  ];
}

function symbol(id: string, drawn: string | undefined, name: string, count: number): JSX.Element {
  const attributes = { key: id, id, viewBox: '0 0 24 24' };
  if (drawn === undefined) return h('symbol', attributes, letters(name, count));
  return h('symbol', { ...attributes, dangerouslySetInnerHTML: { __html: drawn } });
}

/**
 * Renders the marks that the open page may show: of all methods, since an unavailable one may become available, and of
 * the quote. An ended invoice needs none.
 */
export function renderSprite({ step, methods, quote }: CheckoutView): string {
  if (step === 'paid' || step === 'expired' || step === 'cancelled') return '';
  const shown: MethodName[] = [...methods];
  if (quote) shown.push(quote);
  const tokens = new Set(shown.map(({ token }) => token));
  const networks = new Map(shown.map(({ network, networkName }) => [network, networkName]));
  const symbols = [
    ...[...tokens].map((token) => symbol(`token-${token}`, TOKEN_MARKS[token], token, 4)),
    // Sandbox networks have the marks of those that they imitate.
    ...[...networks].map(([id, name]) => symbol(`network-${id}`, NETWORK_MARKS[id.replace(SANDBOX, '')], name, 1)),
  ];
  return symbols.length === 0
    ? ''
    : renderToString(h('svg', { class: 'hidden', width: 0, height: 0, 'aria-hidden': 'true' }, symbols));
}

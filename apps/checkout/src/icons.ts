import type { JSX } from 'preact';
import { h } from 'preact';

/** Drawn by the style sheet with the colour of the text around. */
export type IconName = 'copy' | 'check' | 'clock' | 'warning' | 'chevron' | 'search' | 'qr' | 'swap' | 'print';

export function icon(name: IconName): JSX.Element {
  return h('i', { class: `icon icon-${name}`, 'aria-hidden': 'true' });
}

const TONES = 6;

/** The last letter decides, because tokens that are confused differ there: USDT and USDC. */
function toneOf(symbol: string): number {
  return (symbol.charCodeAt(symbol.length - 1) + symbol.length) % TONES;
}

/** A circle with the first letters of a token or network; the name stands in words beside it. */
export function mark(symbol: string, kind: 'token' | 'network'): JSX.Element {
  const letters = symbol.slice(0, kind === 'token' ? 4 : 1);
  return h('span', { class: `mark mark-${kind} tone-${String(toneOf(symbol))}`, 'aria-hidden': 'true' }, letters);
}

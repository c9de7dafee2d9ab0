import type { JSX } from 'preact';
import { h } from 'preact';

/** Icons, which the style sheet draws in the colour of the surrounding text. */
export type IconName = 'copy' | 'check' | 'clock' | 'warning' | 'chevron' | 'search' | 'qr' | 'swap' | 'print';

export function icon(name: IconName): JSX.Element {
  return h('i', { class: `icon icon-${name}`, 'aria-hidden': 'true' });
}

const TONES = 6;

/**
 * Colour of a mark, by the symbol's last letter and length: tokens that payers confuse (USDT and USDC) differ in that
 * letter.
 */
function toneOf(symbol: string): number {
  return (symbol.charCodeAt(symbol.length - 1) + symbol.length) % TONES;
}

/** A mark with the first letters of a token or network; screen readers skip it, because the name is beside it. */
export function mark(symbol: string, kind: 'token' | 'network'): JSX.Element {
  const letters = symbol.slice(0, kind === 'token' ? 4 : 1);
  return h('span', { class: `mark mark-${kind} tone-${String(toneOf(symbol))}`, 'aria-hidden': 'true' }, letters);
}

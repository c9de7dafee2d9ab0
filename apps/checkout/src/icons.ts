import type { JSX } from 'preact';
import { h } from 'preact';

/** Drawn by the style sheet with the colour of the text around. */
export type IconName = 'copy' | 'check' | 'clock' | 'warning' | 'chevron' | 'search' | 'qr' | 'swap' | 'print';

export function icon(name: IconName): JSX.Element {
  return h('i', { class: `icon icon-${name}`, 'aria-hidden': 'true' });
}

/** A circle with the first letters of a token or network; the name stands in words beside it. */
export function mark(symbol: string, kind: 'token' | 'network'): JSX.Element {
  const letters = kind === 'token' ? symbol.slice(0, 4) : symbol.slice(0, 1);
  return h('span', { class: `mark mark-${kind} tone-${toneOf(symbol)}`, 'aria-hidden': 'true' }, letters);
}

const TONES = 6;

function toneOf(symbol: string): number {
  let sum = 0;
  for (const letter of symbol) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997;
  return sum % TONES;
}

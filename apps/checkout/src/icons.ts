import type { JSX } from 'preact';
import { h } from 'preact';

/** Drawn on a 24 x 24 grid with the colour of the text around. */
const PATHS = {
  copy: 'M9 9h10v10H9zM5 15V5h10',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  clock: 'M12 7v5l3 2M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18',
  warning: 'M12 4L2.8 20h18.4zM12 10v4.5M12 17.2v.1',
  chevron: 'M9 5l7 7-7 7',
  search: 'M11 4a7 7 0 1 0 0 14a7 7 0 1 0 0-14M16 16l4.5 4.5',
  qr: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2M20 14v6h-6',
  swap: 'M4 8h15M15 4l4 4-4 4M20 16H5M9 12l-4 4 4 4',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
} as const;

export type IconName = keyof typeof PATHS;

export function icon(name: IconName): JSX.Element {
  return h(
    'svg',
    { class: `icon icon-${name}`, viewBox: '0 0 24 24', 'aria-hidden': 'true', focusable: 'false' },
    h('path', { d: PATHS[name] }),
  );
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

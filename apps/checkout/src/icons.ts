import type { JSX } from 'preact';
import { h } from 'preact';

export type IconName = 'copy' | 'check' | 'clock' | 'warning' | 'chevron' | 'search' | 'qr' | 'swap' | 'print' | 'info';

export function icon(name: IconName): JSX.Element {
  return h('i', { class: `icon icon-${name}`, 'aria-hidden': 'true' });
}

/** A mark from the page's sprite; screen readers skip it, because the name is beside it. */
export function mark(kind: 'token' | 'network', id: string): JSX.Element {
  return h('svg', { class: `mark mark-${kind}`, 'aria-hidden': 'true' }, h('use', { href: `#${kind}-${id}` }));
}

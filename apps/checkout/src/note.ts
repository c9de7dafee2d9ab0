import type { ComponentChildren, JSX } from 'preact';
import { h } from 'preact';
import type { IconName } from './icons.ts';
import { icon } from './icons.ts';

const ICONS: Record<'good' | 'warn' | 'bad' | 'plain', IconName> = {
  good: 'check',
  warn: 'warning',
  bad: 'warning',
  plain: 'clock',
};

/** A message box; its icon matches its colour. */
export function note(tone: keyof typeof ICONS, ...children: ComponentChildren[]): JSX.Element {
  return h('div', { class: `note note-${tone}` }, icon(ICONS[tone]), h('div', null, ...children));
}

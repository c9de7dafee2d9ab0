import type { ComponentChildren, JSX } from 'preact';
import { h } from 'preact';
import { icon } from './icons.ts';

/** Folded content, which the browser opens without script. */
export function fold(title: string, open: boolean, ...children: ComponentChildren[]): JSX.Element {
  return h(
    'details',
    { class: 'fold', open },
    h('summary', null, h('span', null, title), icon('chevron')),
    ...children,
  );
}

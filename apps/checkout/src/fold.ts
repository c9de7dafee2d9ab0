import type { ComponentChildren, JSX } from 'preact';
import { h } from 'preact';
import { icon } from './icons.ts';

/** Help that stays out of the way until it is asked for; the browser opens it, with or without script. */
export function fold(title: string, open: boolean, ...children: ComponentChildren[]): JSX.Element {
  return h(
    'details',
    { class: 'fold', open },
    h('summary', null, h('span', null, title), icon('chevron')),
    ...children,
  );
}

import type { JSX } from 'preact';
import { h } from 'preact';

/** HTML that the server has rendered; nothing where there is none. */
export function rendered(name: string, html: string): JSX.Element | false {
  return html !== '' && h('div', { class: name, dangerouslySetInnerHTML: { __html: html } });
}

import type { JSX } from 'preact';
import { h } from 'preact';

export function rendered(name: string, html: string): JSX.Element | false {
  return html !== '' && h('div', { class: name, dangerouslySetInnerHTML: { __html: html } });
}

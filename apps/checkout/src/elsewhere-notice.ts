import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { icon } from './icons.ts';
import { languageOf } from './language.ts';
import type { ElsewhereInput } from './server-contract.ts';
import { speak } from './text.ts';

/** Renders the notice that another method was selected elsewhere. Server only: few payers see it. */
export function renderElsewhere({ language, step, token, networkName, href }: ElsewhereInput): string {
  const words = speak(language, languageOf(language).phrases);
  const names = { token, network: networkName };
  const said = h('p', null, h('strong', null, words.say('elsewhere', names)), ' ', words.text(`elsewhere.${step}`));
  const link = h('a', { class: 'link', href }, h('span', null, words.say('elsewhereShow', names)));
  return renderToString(h('div', { class: 'note' }, icon('swap'), h('div', null, said, link)));
}

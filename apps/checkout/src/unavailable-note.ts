import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { MethodView } from './checkout-view.ts';
import { icon } from './icons.ts';
import { languageOf } from './language.ts';
import { speak } from './text.ts';

/** Renders unavailable methods by reason: "Polygon (USDT, USDC): the network cannot be reached." Server only. */
export function renderUnavailable(language: string, methods: readonly MethodView[]): string {
  const words = speak(language, languageOf(language).phrases);
  const reasons = new Map<NonNullable<MethodView['refusal']>, Map<string, string[]>>();
  for (const { refusal, networkName, token } of methods) {
    if (refusal === null) continue;
    const networks = reasons.get(refusal) ?? new Map<string, string[]>();
    networks.set(networkName, [...(networks.get(networkName) ?? []), token]);
    reasons.set(refusal, networks);
  }
  if (reasons.size === 0) return '';
  const lines = [...reasons].map(([reason, networks]) => {
    const names = [...networks].map(([name, tokens]) => `${name} (${tokens.join(', ')})`).join(', ');
    return h('li', null, words.say(`unavailable.${reason}`, { methods: names }));
  });
  const title = h('h2', null, words.text('unavailableTitle'));
  return renderToString(h('section', null, icon('info'), h('div', null, title, h('ul', null, lines))));
}

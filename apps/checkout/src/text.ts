import type { ComponentChild } from 'preact';
import { h } from 'preact';
import type { CheckoutView } from './checkout-view.ts';
import type { en } from './locales/en.ts';

/** Phrases: `{places}` to fill in, and plurals by the language's rules. */

type PluralForms = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;
export type Phrase = string | PluralForms;
export type PhraseKey = keyof typeof en;
export type Phrases = { [K in PhraseKey]: (typeof en)[K] extends string ? string : PluralForms };

type Values = Record<string, string | number>;

export type Words = {
  has: (key: string) => key is PhraseKey;
  /** As text, for attributes and announcements. */
  text: (key: PhraseKey, values?: Values) => string;
  /** As nodes with isolated values, so that Latin words keep their order in Arabic sentences. */
  say: (key: PhraseKey, values?: Values) => ComponentChild[];
};

const PLACE = /\{(\w+)\}/;

const sayParts = (parts: string[], values: Values): ComponentChild[] =>
  parts.map((part, index) => (index % 2 === 1 ? h('bdi', null, String(values[part] ?? '')) : part));

/** A template as nodes, like `say`. */
export const sayTemplate = (template: string, values: Values): ComponentChild[] =>
  sayParts(template.split(PLACE), values);

/** `instead` has phrases in place of the page's own. */
export function speak(language: string, phrases: Phrases, instead: () => CheckoutView['phrases'] = () => null): Words {
  const plural = new Intl.PluralRules(language);
  /** Splits a phrase at its placeholders; odd parts are their names. */
  function parts(key: PhraseKey, values: Values): string[] {
    const phrase: Phrase = instead()?.[key] ?? phrases[key];
    const template =
      typeof phrase === 'string' ? phrase : (phrase[plural.select(Number(values['count']))] ?? phrase.other);
    return template.split(PLACE);
  }
  return {
    has: (key): key is PhraseKey => Object.hasOwn(phrases, key),
    text: (key, values = {}) =>
      parts(key, values)
        .map((part, index) => (index % 2 === 1 ? String(values[part] ?? '') : part))
        .join(''),
    say: (key, values = {}) => sayParts(parts(key, values), values),
  };
}

const MINUTE = 60;
const HOUR = 3_600;

/** A rough duration for people, such as "3 minutes"; for display only. */
export function duration(words: Words, seconds: number): string {
  if (seconds < MINUTE) return words.text('seconds', { count: Math.max(1, Math.round(seconds)) });
  if (seconds < 2 * HOUR) return words.text('minutes', { count: Math.round(seconds / MINUTE) });
  return words.text('hours', { count: Math.round(seconds / HOUR) });
}

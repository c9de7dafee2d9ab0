import type { Language } from '@counterfoil/core/language.ts';
import type { FactsOf, MailTemplate } from './mail.ts';

/** Formats facts for emails. Most texts are user input. */

const MAX_NAME_CHARACTERS = 80;
const MAX_REASON_CHARACTERS = 300;
const MAX_LINK_CHARACTERS = 2_000;
/** Characters kept at each end of a shortened address. */
const ADDRESS_END = 8;

/** Unprintable characters and direction marks, without the joiners of some scripts and emoji. */
const UNPRINTED = /(?:(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}\s])+/gu;
/** A dot, slash or colon inside a word, which email programs turn into links. */
const LINKED = /([./:@])(?=[\p{L}\p{N}/])/gu;
/** Zero width; breaks neither lines nor words, but ends a link. */
const WORD_JOINER = '\u2060';
const FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
/** Isolates a text's direction from the sentence around it. */
const ISOLATED = ['\u2068', '\u2069'] as const;

/** One line, cut to a number of characters. */
export function flatten(text: string, maxCharacters: number): string {
  const characters = Array.from(text.replaceAll(UNPRINTED, ' ').trim());
  return characters.length <= maxCharacters
    ? characters.join('')
    : `${characters.slice(0, maxCharacters - 1).join('')}…`;
}

export const isFromRight = (language: Language) => language === 'ar';

/** A user-chosen name: one line, short, no link, and with isolated direction. */
function showName(name: string, language: Language, maxCharacters = MAX_NAME_CHARACTERS): string {
  const shown = flatten(name, maxCharacters).replaceAll(LINKED, `$1${WORD_JOINER}`);
  const turns = FROM_RIGHT.test(shown) !== isFromRight(language);
  return turns ? `${ISOLATED[0]}${shown}${ISOLATED[1]}` : shown;
}

/** Without its middle: readers compare both ends. */
function shortenAddress(address: string): string {
  const flat = flatten(address, MAX_NAME_CHARACTERS);
  return flat.length <= ADDRESS_END * 2 + 1 ? flat : `${flat.slice(0, ADDRESS_END)}…${flat.slice(-ADDRESS_END)}`;
}

const TIME_FORMATS: Record<Language, string> = { en: 'en-GB', es: 'es', zh: 'zh', ar: 'ar-u-nu-latn' };

function showTime(at: Date, language: Language): string {
  const format = new Intl.DateTimeFormat(TIME_FORMATS[language], {
    dateStyle: 'long',
    timeStyle: 'short',
    hourCycle: 'h23',
    timeZone: 'UTC',
  });
  return `${format.format(at)} UTC`;
}

/** Facts as inserted by a template: texts made safe, times in the reader's language. */
export type Shown<Facts> = { readonly [Name in keyof Facts]: Facts[Name] extends Date ? string : Facts[Name] };

function showFact(name: string, value: unknown, language: Language): unknown {
  if (value instanceof Date) return showTime(value, language);
  if (typeof value !== 'string') return value;
  switch (name) {
    case 'link':
      return value.slice(0, MAX_LINK_CHARACTERS);
    case 'role':
    case 'staffRole':
    case 'factor':
    case 'newAddress':
    case 'ip':
    case 'amount':
      return flatten(value, MAX_NAME_CHARACTERS);
    case 'address':
      return shortenAddress(value);
    case 'reason':
      return showName(value, language, MAX_REASON_CHARACTERS);
    default:
      return showName(value, language);
  }
}

export function showFacts<Template extends MailTemplate>(
  facts: FactsOf<Template>,
  language: Language,
): Shown<FactsOf<Template>> {
  const shown = Object.entries(facts).map(([name, value]) => [name, showFact(name, value, language)]);
  return Object.fromEntries(shown) as Shown<FactsOf<Template>>;
}

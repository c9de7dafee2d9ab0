import type { Language } from '@counterfoil/core/language.ts';
import { knownLanguage, LANGUAGE_CODES, LANGUAGES as SHARED_LANGUAGES } from '@counterfoil/core/language.ts';
import { ar } from './locales/ar.ts';
import { en } from './locales/en.ts';
import { es } from './locales/es.ts';
import { zh } from './locales/zh.ts';
import type { Phrases } from './text.ts';

type Spoken = { name: string; direction: 'ltr' | 'rtl'; phrases: Phrases };

/** A language is one file in `locales`, one line here, and its entry in the shared list. */
const PHRASES: Readonly<Record<Language, Phrases>> = { en, es, zh, ar };

export const LANGUAGES: Readonly<Record<string, Spoken>> = Object.fromEntries(
  LANGUAGE_CODES.map((code) => [code, { ...SHARED_LANGUAGES[code], phrases: PHRASES[code] }]),
);

const DEFAULT_LANGUAGE = 'en';
const HEADER_MAX_CHARACTERS = 500;

/** The language of the URL, the browser's preferred one, or English. */
export function chooseLanguage(query: string | null | undefined, acceptLanguage: string | null | undefined): string {
  const asked = knownLanguage(query);
  if (asked) return asked;
  const preferred = (acceptLanguage ?? '')
    .slice(0, HEADER_MAX_CHARACTERS)
    .split(',')
    .map((entry) => {
      const [tag, ...parameters] = entry.split(';');
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean);
      return { language: knownLanguage(tag), weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ language, weight }) => language !== undefined && weight > 0)
    .toSorted((left, right) => right.weight - left.weight);
  return preferred[0]?.language ?? DEFAULT_LANGUAGE;
}

export function languageOf(code: string): Spoken {
  return LANGUAGES[code] ?? { name: 'English', direction: 'ltr', phrases: en };
}

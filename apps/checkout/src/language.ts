import { ar } from './locales/ar.ts';
import { en } from './locales/en.ts';
import { es } from './locales/es.ts';
import { zh } from './locales/zh.ts';
import type { Phrases } from './text.ts';

/** A language is one file in `locales` and one line here. */
export const LANGUAGES: Record<string, { name: string; direction: 'ltr' | 'rtl'; phrases: Phrases }> = {
  en: { name: 'English', direction: 'ltr', phrases: en },
  es: { name: 'Español', direction: 'ltr', phrases: es },
  zh: { name: '中文', direction: 'ltr', phrases: zh },
  ar: { name: 'العربية', direction: 'rtl', phrases: ar },
};

const DEFAULT_LANGUAGE = 'en';
const HEADER_MAX_CHARACTERS = 500;

function known(tag: string | undefined): string | null {
  const base = tag?.trim().toLowerCase().split('-')[0] ?? '';
  return Object.hasOwn(LANGUAGES, base) ? base : null;
}

/** The language of the URL, the browser's preferred one, or English. */
export function chooseLanguage(query: string | null | undefined, acceptLanguage: string | null | undefined): string {
  const asked = known(query ?? undefined);
  if (asked) return asked;
  const preferred = (acceptLanguage ?? '')
    .slice(0, HEADER_MAX_CHARACTERS)
    .split(',')
    .map((entry) => {
      const [tag, ...parameters] = entry.split(';');
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean);
      return { language: known(tag), weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ language, weight }) => language !== null && weight > 0)
    .toSorted((left, right) => right.weight - left.weight);
  return preferred[0]?.language ?? DEFAULT_LANGUAGE;
}

export function languageOf(code: string): { name: string; direction: 'ltr' | 'rtl'; phrases: Phrases } {
  return LANGUAGES[code] ?? { name: 'English', direction: 'ltr', phrases: en };
}

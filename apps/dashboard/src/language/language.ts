import type { Messages } from '@lingui/core';
import { i18n } from '@lingui/core';
import type { WordPart } from './words.ts';

/** A language is one folder in `locales` and one line here. */

export const LANGUAGES = {
  en: { name: 'English', direction: 'ltr' },
  es: { name: 'Español', direction: 'ltr' },
  zh: { name: '中文', direction: 'ltr' },
  ar: { name: 'العربية', direction: 'rtl' },
} as const satisfies Record<string, { name: string; direction: 'ltr' | 'rtl' }>;

export type Language = keyof typeof LANGUAGES;

export const LANGUAGE_CODES = Object.keys(LANGUAGES) as readonly Language[];

const STORED = 'counterfoil.language';

function known(tag: string | null | undefined): Language | undefined {
  const base = tag?.toLowerCase().split('-')[0] ?? '';
  return LANGUAGE_CODES.find((code) => code === base);
}

/** The language chosen in this browser. */
export const storedLanguage = (): Language | undefined => known(localStorage.getItem(STORED));

/** The initial language: the chosen one, the browser's preferred one, or English. */
export function firstLanguage(): Language {
  return storedLanguage() ?? navigator.languages.map(known).find((code) => code !== undefined) ?? 'en';
}

// The build compiles texts to Lingui's messages.
const FILES = import.meta.glob<{ words: Messages }>('./locales/*/*.ts');

/** Parts of the texts needed so far. */
const parts = new Set<WordPart>(['first']);

async function load(language: Language, part: WordPart): Promise<void> {
  const file = await FILES[`./locales/${language}/${part}.ts`]?.();
  if (file) i18n.load(language, file.words);
}

/** Loads a part of the texts, now and for languages chosen later. */
export async function loadWords(part: WordPart): Promise<void> {
  if (parts.has(part)) return;
  await load(presentLanguage(), part);
  parts.add(part);
}

/** Loads a page's script with its texts. */
export const withWords =
  <Module>(needed: readonly WordPart[], script: () => Promise<Module>) =>
  async (): Promise<Module> => {
    const [loaded] = await Promise.all([script(), ...needed.map(loadWords)]);
    return loaded;
  };

/** The last requested language. */
let wanted: Language | undefined;

/** Loads and shows a language, unless another was requested since. */
export async function showLanguage(language: Language): Promise<void> {
  wanted = language;
  await Promise.all([...parts].map((part) => load(language, part)));
  if (wanted !== language) return;
  i18n.activate(language);
  document.documentElement.lang = language;
  document.documentElement.dir = LANGUAGES[language].direction;
}

export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(STORED, language);
  await showLanguage(language);
}

/** Follows a language change in another tab. */
export function followLanguage(): void {
  addEventListener('storage', ({ key, newValue }) => {
    const chosen = key === STORED ? known(newValue) : undefined;
    if (chosen !== undefined) void showLanguage(chosen);
  });
}

export const presentLanguage = (): Language => known(i18n.locale) ?? 'en';

/** Date format of the reader's browser: `14 Nov` or `Nov 14`. */
export const dateLocale = (language: string): string =>
  navigator.languages.find((tag) => known(tag) === language) ?? language;

export const presentDirection = (): 'ltr' | 'rtl' => LANGUAGES[presentLanguage()].direction;

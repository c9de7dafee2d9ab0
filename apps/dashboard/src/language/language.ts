import type { Language } from '@counterfoil/core/language.ts';
import { knownLanguage, LANGUAGES } from '@counterfoil/core/language.ts';
import type { Messages } from '@lingui/core';
import { i18n } from '@lingui/core';
import type { WordPart } from './words.ts';

/** The language of the page. Texts of each are a folder in `locales`. */

const STORED = 'counterfoil.language';

/** The language chosen in this browser. */
export const storedLanguage = (): Language | undefined => knownLanguage(localStorage.getItem(STORED));

/** The initial language: the chosen one, the browser's preferred one, or English. */
export function firstLanguage(): Language {
  return storedLanguage() ?? navigator.languages.map(knownLanguage).find((code) => code !== undefined) ?? 'en';
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
    const chosen = key === STORED ? knownLanguage(newValue) : undefined;
    if (chosen !== undefined) void showLanguage(chosen);
  });
}

export const presentLanguage = (): Language => knownLanguage(i18n.locale) ?? 'en';

/** Date format of the reader's browser: `14 Nov` or `Nov 14`. */
export const dateLocale = (language: string): string =>
  navigator.languages.find((tag) => knownLanguage(tag) === language) ?? language;

export const presentDirection = (): 'ltr' | 'rtl' => LANGUAGES[presentLanguage()].direction;

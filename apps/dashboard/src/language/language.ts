import type { Messages } from '@lingui/core';
import { i18n } from '@lingui/core';
import type { WordPart } from './words.ts';

/** The languages of the app. A language is one folder in `locales` and one line here. */

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

/** The language that somebody chose in this browser. */
export const storedLanguage = (): Language | undefined => known(localStorage.getItem(STORED));

/** The language to begin with: the chosen one, else the one that the browser prefers most, else English. */
export function firstLanguage(): Language {
  return storedLanguage() ?? navigator.languages.map(known).find((code) => code !== undefined) ?? 'en';
}

// The build has compiled the texts: what is loaded are messages in Lingui's own form.
const FILES = import.meta.glob<{ words: Messages }>('./locales/*/*.ts');

/** The parts of the texts that somebody has needed until now. */
const parts = new Set<WordPart>(['first']);

async function load(language: Language, part: WordPart): Promise<void> {
  const file = await FILES[`./locales/${language}/${part}.ts`]?.();
  if (file) i18n.load(language, file.words);
}

/** Loads a part of the texts, in the present language and, from then on, in every other that is chosen. */
export async function loadWords(part: WordPart): Promise<void> {
  if (parts.has(part)) return;
  await load(presentLanguage(), part);
  parts.add(part);
}

/** Loads a page's script together with the texts that it needs. */
export const withWords =
  <Module>(needed: readonly WordPart[], script: () => Promise<Module>) =>
  async (): Promise<Module> => {
    const [loaded] = await Promise.all([script(), ...needed.map(loadWords)]);
    return loaded;
  };

/** The language that was asked for last. */
let wanted: Language | undefined;

/** Loads a language and shows the app in it, unless another one is asked for in the meantime. */
export async function showLanguage(language: Language): Promise<void> {
  wanted = language;
  await Promise.all([...parts].map((part) => load(language, part)));
  if (wanted !== language) return;
  i18n.activate(language);
  document.documentElement.lang = language;
  document.documentElement.dir = LANGUAGES[language].direction;
}

/** Shows the app in a language from now on. */
export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(STORED, language);
  await showLanguage(language);
}

/** Follows the choice of a language in another tab: the tabs of one browser agree. */
export function followLanguage(): void {
  addEventListener('storage', ({ key, newValue }) => {
    const chosen = key === STORED ? known(newValue) : undefined;
    if (chosen !== undefined) void showLanguage(chosen);
  });
}

export const presentLanguage = (): Language => known(i18n.locale) ?? 'en';

/** The reader's own way to write dates in a language: `14 Nov` or `Nov 14`, as their browser is set. */
export const dateLocale = (language: string): string =>
  navigator.languages.find((tag) => known(tag) === language) ?? language;

export const presentDirection = (): 'ltr' | 'rtl' => LANGUAGES[presentLanguage()].direction;

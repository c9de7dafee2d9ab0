import type { Messages } from '@lingui/core';
import { i18n } from '@lingui/core';
import type { Locale } from './words.ts';

/** The languages of the app. A language is one file in `locales` and one line here. */

export const LANGUAGES = {
  en: { name: 'English', direction: 'ltr', load: () => import('./locales/en.ts') },
  es: { name: 'Español', direction: 'ltr', load: () => import('./locales/es.ts') },
  zh: { name: '中文', direction: 'ltr', load: () => import('./locales/zh.ts') },
  ar: { name: 'العربية', direction: 'rtl', load: () => import('./locales/ar.ts') },
} as const satisfies Record<string, { name: string; direction: 'ltr' | 'rtl'; load: () => Promise<{ words: Locale }> }>;

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

/** Loads a language and shows the app in it. */
export async function showLanguage(language: Language): Promise<void> {
  const { direction, load } = LANGUAGES[language];
  const { words } = await load();
  // The build has compiled the texts: what is loaded are messages in Lingui's own form.
  i18n.load(language, words as unknown as Messages);
  i18n.activate(language);
  document.documentElement.lang = language;
  document.documentElement.dir = direction;
}

/** Shows the app in a language from now on. */
export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(STORED, language);
  await showLanguage(language);
}

export const presentLanguage = (): Language => known(i18n.locale) ?? 'en';

export const presentDirection = (): 'ltr' | 'rtl' => LANGUAGES[presentLanguage()].direction;

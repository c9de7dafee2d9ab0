import { useLingui } from '@lingui/react';
import type { words as english } from './locales/en.ts';

/** The texts of the app by their keys; English has them all, and the compiler holds the other languages to it. */

export type WordKey = keyof typeof english;
export type Locale = Readonly<Record<WordKey, string>>;
export type Words = (key: WordKey, values?: Record<string, string | number>) => string;

export function useWords(): Words {
  const { i18n } = useLingui();
  return (key, values) => i18n._(key, values);
}

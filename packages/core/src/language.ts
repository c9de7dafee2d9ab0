/** Languages of the checkout, the dashboard and the emails. The database checks those of users too. */

export const LANGUAGE_CODES = ['en', 'es', 'zh', 'ar'] as const;
export type Language = (typeof LANGUAGE_CODES)[number];

export const LANGUAGES: Readonly<Record<Language, { name: string; direction: 'ltr' | 'rtl' }>> = {
  en: { name: 'English', direction: 'ltr' },
  es: { name: 'Español', direction: 'ltr' },
  zh: { name: '中文', direction: 'ltr' },
  ar: { name: 'العربية', direction: 'rtl' },
};

/** The language of a tag such as `es-MX`; undefined if there is none. */
export function knownLanguage(tag: string | null | undefined): Language | undefined {
  const base = tag?.trim().toLowerCase().split('-')[0];
  return LANGUAGE_CODES.find((code) => code === base);
}

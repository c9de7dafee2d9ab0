import { useLingui } from '@lingui/react';
import type { words as activity } from './locales/en/activity.ts';
import type { words as audit } from './locales/en/audit.ts';
import type { words as balance } from './locales/en/balance.ts';
import type { words as errors } from './locales/en/errors.ts';
import type { words as exports } from './locales/en/exports.ts';
import type { words as first } from './locales/en/first.ts';
import type { words as find } from './locales/en/find.ts';
import type { words as invoices } from './locales/en/invoices.ts';
import type { words as keys } from './locales/en/keys.ts';
import type { words as figures } from './locales/en/figures.ts';
import type { words as home } from './locales/en/home.ts';
import type { words as links } from './locales/en/links.ts';
import type { words as lists } from './locales/en/lists.ts';
import type { words as methods } from './locales/en/methods.ts';
import type { words as notices } from './locales/en/notices.ts';
import type { words as security } from './locales/en/security.ts';
import type { words as store } from './locales/en/store.ts';
import type { words as team } from './locales/en/team.ts';
import type { words as unmatched } from './locales/en/unmatched.ts';
import type { words as webhooks } from './locales/en/webhooks.ts';
import type { words as start } from './locales/en/start.ts';
import type { words as wallet } from './locales/en/wallet.ts';

/**
 * Texts by key, in parts that are loaded with their pages. English has all, and the compiler requires the same of other
 * languages.
 */

type English = {
  activity: typeof activity;
  first: typeof first;
  home: typeof home;
  errors: typeof errors;
  find: typeof find;
  invoices: typeof invoices;
  figures: typeof figures;
  links: typeof links;
  lists: typeof lists;
  methods: typeof methods;
  security: typeof security;
  balance: typeof balance;
  exports: typeof exports;
  keys: typeof keys;
  notices: typeof notices;
  store: typeof store;
  team: typeof team;
  unmatched: typeof unmatched;
  webhooks: typeof webhooks;
  audit: typeof audit;
  start: typeof start;
  wallet: typeof wallet;
};

export type WordPart = keyof English;
export type WordKey = { [Part in WordPart]: keyof English[Part] }[WordPart];
export type Words = (key: WordKey, values?: Record<string, string | number>) => string;

export function useWords(): Words {
  const { i18n } = useLingui();
  return (key, values) => i18n._(key, values);
}

import type { CheckoutView, SelectionRefusalCode, TransactionCheck } from './checkout-view.ts';
import type { Phrases, Words } from './text.ts';

export type PagePaths = { self: string; events: string; state: string; select: string; check: string };

/** What travels to the browser beside the HTML. */
export type PageState = {
  view: CheckoutView;
  language: string;
  languageFixed: boolean;
  phrases: Phrases;
  check: TransactionCheck | null;
  refusal: SelectionRefusalCode | null;
  paths: PagePaths;
};

/** What a component needs of the page around it. */
export type Page = {
  view: CheckoutView;
  words: Words;
  paths: PagePaths;
  /** Carried by forms while the language stands in the address. */
  fixedLanguage: string | null;
  /** Says something to those who do not see the page. */
  announce: (text: string) => void;
  /** The server's time; the clock of the device plays no part. */
  nowMs: () => number;
  /** Takes a newer view over. */
  show: (view: CheckoutView) => void;
  /** Asks the server for the present view. */
  refresh: () => void;
};

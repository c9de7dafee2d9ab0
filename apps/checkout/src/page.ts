import { SECOND_MS } from '@counterfoil/core/duration.ts';
import type { CheckoutView, MethodView } from './checkout-view.ts';
import type { InjectedWallet } from './injected-wallets.ts';
import type { PagePaths } from './server-contract.ts';
import type { PhraseKey, Phrases, Words } from './text.ts';

/** State that is sent to the browser with the HTML. */
export type PageState = {
  view: CheckoutView;
  language: string;
  languageFixed: boolean;
  phrases: Phrases;
  /** HTML: the answer to "I have paid", if asked. */
  answer: string;
  /** Why the choice was refused, if so. */
  problem: string | null;
  paths: PagePaths;
};

/** State that exists only in this browser page. */
export type Moment = {
  secondsLeft: number;
  connected: boolean;
  announcement: string;
  query: string;
  /** A request to the server is in progress. */
  busy: boolean;
  selectProblem: string | null;
  answer: string;
  checkProblem: PhraseKey | null;
  copied: CopyTarget | null;
  wallets: InjectedWallet[];
  /** Id of the browser wallet that is asked to pay. */
  asking: string | null;
  walletProblem: string | null;
  /** Hash of the transaction that a browser wallet sent for the shown quote. */
  sent: string | null;
  /** Seconds until the return to the store. */
  returnIn: number | null;
};

export type CopyTarget = 'Amount' | 'Address';

export type PageActions = {
  copy: (target: CopyTarget, value: string) => void;
  search: (query: string) => void;
  choose: (method: MethodView) => void;
  check: (tx: string) => void;
  pay: (wallet: InjectedWallet) => void;
  stay: () => void;
};

export type Page = {
  view: CheckoutView;
  words: Words;
  paths: PagePaths;
  /** The language in the URL, which forms pass on, if any. */
  fixedLanguage: string | null;
  moment: Moment;
  act: PageActions;
};

export function secondsLeft({ expiresAtMs }: CheckoutView, nowMs: number): number {
  return Math.max(0, Math.ceil((expiresAtMs - nowMs) / SECOND_MS));
}

export function firstMoment({ view, answer, problem }: PageState): Moment {
  return {
    secondsLeft: secondsLeft(view, view.nowMs),
    connected: true,
    announcement: '',
    query: '',
    busy: false,
    selectProblem: problem,
    answer,
    checkProblem: null,
    copied: null,
    wallets: [],
    asking: null,
    walletProblem: null,
    sent: null,
    returnIn: null,
  };
}

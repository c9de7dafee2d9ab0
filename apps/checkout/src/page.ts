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
  /** The answer to "I have paid", as HTML; empty where nothing was asked. */
  answer: string;
  /** Why the choice was refused; null where none was. */
  problem: string | null;
  paths: PagePaths;
};

/** State that only this page in the browser has, beside the view from the server. */
export type Moment = {
  secondsLeft: number;
  connected: boolean;
  /** Text for screen readers. */
  announcement: string;
  query: string;
  /** A request to the server is not answered yet. */
  busy: boolean;
  selectProblem: string | null;
  answer: string;
  checkProblem: PhraseKey | null;
  copied: CopyTarget | null;
  wallets: InjectedWallet[];
  /** Id of the browser wallet that is being asked for the payment. */
  asking: string | null;
  walletProblem: string | null;
  /** Hash of the transaction that a browser wallet sent for the shown quote. */
  sent: string | null;
  /** Seconds until the payer is sent back to the store. */
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

/** Everything that a component sees; components have no state of their own. */
export type Page = {
  view: CheckoutView;
  words: Words;
  paths: PagePaths;
  /** Language that the page's address names, which forms pass on; null when it names none. */
  fixedLanguage: string | null;
  moment: Moment;
  act: PageActions;
};

const SECOND_MS = 1_000;

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

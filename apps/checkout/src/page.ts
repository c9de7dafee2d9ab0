import type { CheckoutView, MethodView, SelectionRefusalCode, TransactionCheck } from './checkout-view.ts';
import type { InjectedWallet } from './injected-wallets.ts';
import type { PagePaths } from './server-contract.ts';
import type { PhraseKey, Phrases, Words } from './text.ts';

/** State that is sent to the browser with the HTML. */
export type PageState = {
  view: CheckoutView;
  language: string;
  languageFixed: boolean;
  phrases: Phrases;
  check: TransactionCheck | null;
  refusal: SelectionRefusalCode | null;
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
  selectProblem: PhraseKey | null;
  check: TransactionCheck | null;
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

export function firstMoment({ view, check, refusal }: PageState): Moment {
  return {
    secondsLeft: secondsLeft(view, view.nowMs),
    connected: true,
    announcement: '',
    query: '',
    busy: false,
    selectProblem: refusal && `refused.${refusal}`,
    check,
    checkProblem: null,
    copied: null,
    wallets: [],
    asking: null,
    walletProblem: null,
    sent: null,
    returnIn: null,
  };
}

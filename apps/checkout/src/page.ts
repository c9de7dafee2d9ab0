import type { CheckoutView, MethodView, SelectionRefusalCode, TransactionCheck } from './checkout-view.ts';
import type { InjectedWallet } from './injected-wallets.ts';
import type { PagePaths } from './server-contract.ts';
import type { PhraseKey, Phrases, Words } from './text.ts';

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

/** What only this page knows, beside the view that the server makes. */
export type Moment = {
  secondsLeft: number;
  connected: boolean;
  /** Said to those who do not see the page. */
  announcement: string;
  query: string;
  /** Something was asked of the server and is not answered yet. */
  busy: boolean;
  selectProblem: PhraseKey | null;
  check: TransactionCheck | null;
  checkProblem: PhraseKey | null;
  copied: CopyTarget | null;
  wallets: InjectedWallet[];
  /** The wallet that is being asked for the payment. */
  asking: string | null;
  walletProblem: string | null;
  /** What a wallet has sent for the present quote. */
  sent: string | null;
  /** Seconds until the customer is taken back to the shop. */
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

/** All that a component sees; components hold nothing of their own. */
export type Page = {
  view: CheckoutView;
  words: Words;
  paths: PagePaths;
  /** Carried by forms while the language stands in the address. */
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

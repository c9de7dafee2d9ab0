import type { CheckoutView, QuoteView, TransactionCheck } from './checkout-view.ts';
import { copyText } from './copy-text.ts';
import type { InjectedWallet } from './injected-wallets.ts';
import { sendTransfer } from './injected-wallets.ts';
import type { CopyTarget, Moment, Page, PageActions } from './page.ts';
import { postJson } from './post-json.ts';
import type { PagePaths } from './server-contract.ts';
import { recall, remember } from './session.ts';

/** A payer's actions on the page, and their effects. */

export type Running = {
  page: Page;
  /** Changes the page's `Moment` and renders again. */
  change: (part: Partial<Moment>) => void;
  /** Shows and follows the view of a method that was chosen on this page. */
  choose: (view: CheckoutView, paths: PagePaths) => void;
  refresh: () => void;
};

const COPIED_SHOWN_MS = 2_500;

/** A sent payment is remembered over reloads, so that no payer is asked to pay twice. */
const sentKey = (view: CheckoutView, quote: QuoteView) => `sent ${view.transId} ${quote.network} ${quote.amount}`;
export const sentOf = (view: CheckoutView) => view.quote && recall(sentKey(view, view.quote));

async function choose(running: Running, token: string, network: string): Promise<void> {
  const { page, change } = running;
  change({ busy: true, selectProblem: null });
  type Answer = { view?: CheckoutView; paths: PagePaths; said?: string };
  const answer = await postJson<Answer>(page.paths.select, { token, network });
  change({ busy: false });
  if (answer?.view) return running.choose(answer.view, answer.paths);
  const problem = answer?.said ?? page.words.text('failedToReach');
  change({ selectProblem: problem, announcement: problem });
}

async function check({ page, change, refresh }: Running, tx: string): Promise<void> {
  change({ busy: true, answer: '', checkProblem: null });
  const answer = await postJson<{ check?: TransactionCheck; said: string }>(page.paths.check, { tx });
  change({ busy: false });
  if (!answer?.check) {
    return change({ checkProblem: 'failedToReach', announcement: page.words.text('failedToReach') });
  }
  change({ answer: answer.said });
  refresh();
}

async function copy({ page, change }: Running, target: CopyTarget, value: string): Promise<void> {
  const worked = await copyText(value);
  const said = page.words.text(worked ? `copied${target}` : 'copyFailed');
  change({ copied: worked ? target : null, announcement: said });
  setTimeout(() => change({ copied: null }), COPIED_SHOWN_MS);
}

async function pay({ page, change }: Running, wallet: InjectedWallet): Promise<void> {
  const { view, words, moment } = page;
  const { quote } = view;
  if (!quote?.injected || moment.asking) return;
  change({ asking: wallet.id, walletProblem: null });
  const result = await sendTransfer(wallet.provider, quote.injected);
  change({ asking: null });
  if ('sent' in result) {
    remember(sentKey(view, quote), result.sent);
    return change({ sent: sentOf(page.view) ?? result.sent, announcement: words.text('walletSent') });
  }
  const said = words.text(`wallet.${result.failed}`, { wallet: wallet.name, network: quote.networkName });
  change({ walletProblem: said, announcement: said });
}

export function pageActions(running: () => Running): PageActions {
  return {
    copy: (target, value) => void copy(running(), target, value),
    search: (query) => running().change({ query }),
    choose: ({ token, network }) => void choose(running(), token, network),
    check: (tx) => void check(running(), tx),
    pay: (wallet) => void pay(running(), wallet),
    stay: () => running().change({ returnIn: null }),
  };
}

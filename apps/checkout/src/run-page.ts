import { SECOND_MS } from '@counterfoil/core/duration.ts';
import { h, hydrate, render } from 'preact';
import { CheckoutPage, documentTitle } from './checkout-page.ts';
import type { CheckoutView } from './checkout-view.ts';
import { spokenWarning } from './countdown.ts';
import { followView } from './follow-view.ts';
import { findInjectedWallets } from './injected-wallets.ts';
import type { Running } from './page-actions.ts';
import { pageActions, sentOf } from './page-actions.ts';
import type { Page, PageState } from './page.ts';
import { firstMoment, secondsLeft } from './page.ts';
import { isReturnUrl, returnsByItself } from './return-link.ts';
import type { PagePaths } from './server-contract.ts';
import { recall, remember } from './session.ts';
import { speak } from './text.ts';

/** Runs the page in the browser: every event changes the view or the `Moment`, and the whole page is rendered again. */

const RETURN_SECONDS = 5;

/** Once per tab: a payer who comes back wants to read the receipt. */
function startReturn({ page: { view }, change }: Running): void {
  const key = `returned ${view.transId}`;
  if (returnsByItself(view) && !recall(key) && remember(key, 'yes')) change({ returnIn: RETURN_SECONDS });
}

function takeView(running: Running, view: CheckoutView): void {
  const { page, change } = running;
  const before = page.view;
  page.view = view;
  const sameQuote = before.quote?.amount === view.quote?.amount && before.quote?.network === view.quote?.network;
  change(sameQuote ? {} : { sent: sentOf(view), walletProblem: null, selectProblem: null, query: '' });
  if (before.step === view.step && sameQuote) return;
  document.title = documentTitle(page.words, view);
  document.querySelector('h1')?.focus();
  change({ announcement: page.words.text(`title.${view.step}`) });
  startReturn(running);
}

/** Puts the shown quote into the URL, so that reloads, shared links and other languages keep it. */
function nameQuote({ self, languages }: PagePaths): void {
  history.replaceState(null, '', self);
  for (const link of document.querySelectorAll<HTMLAnchorElement>('footer a')) link.href = languages[link.lang] ?? self;
}

function tick({ page, change, refresh }: Running, nowMs: number): void {
  const { view, moment, words } = page;
  const left = secondsLeft(view, nowMs);
  if (left !== moment.secondsLeft) {
    const warning = view.step === 'pay' && spokenWarning(moment.secondsLeft, left);
    change({ secondsLeft: left, ...(warning && { announcement: words.text(warning) }) });
    if (left === 0) refresh();
  }
  if (moment.returnIn === null) return;
  change({ returnIn: Math.max(0, moment.returnIn - 1) });
  if (moment.returnIn === 1 && isReturnUrl(view.returnUrl)) location.assign(view.returnUrl);
}

export function runPage(state: PageState, root: Element): void {
  const page: Page = {
    view: state.view,
    words: speak(state.language, state.phrases, () => page.view.phrases),
    paths: state.paths,
    fixedLanguage: state.languageFixed ? state.language : null,
    moment: firstMoment(state),
    act: pageActions(() => running),
  };
  hydrate(h(CheckoutPage, { page }), root);
  if (state.view.step === 'pay') nameQuote(state.paths);
  const follower = followView(
    state.view,
    state.paths,
    (view) => takeView(running, view),
    (connected) => {
      if (connected !== page.moment.connected) running.change({ connected });
    },
  );
  const running: Running = {
    page,
    change: (part) => {
      page.moment = { ...page.moment, ...part };
      render(h(CheckoutPage, { page }), root);
    },
    refresh: follower.refresh,
    choose: (view, paths) => {
      page.paths = paths;
      nameQuote(paths);
      follower.choose(view, paths);
    },
  };
  // Rendered notes contain forms that submit a transaction.
  root.addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    if (form.className !== 'claim') return;
    event.preventDefault();
    page.act.check((form.elements.namedItem('tx') as HTMLInputElement).value.trim());
  });
  setInterval(() => tick(running, follower.nowMs()), SECOND_MS);
  running.change({ sent: sentOf(page.view) });
  findInjectedWallets((wallets) => running.change({ wallets }));
  startReturn(running);
}

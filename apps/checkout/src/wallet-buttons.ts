import type { JSX } from 'preact';
import { h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { QuoteView, WalletLink } from './checkout-view.ts';
import { icon } from './icons.ts';
import type { InjectedWallet, Transfer } from './injected-wallets.ts';
import { findInjectedWallets, sendTransfer } from './injected-wallets.ts';
import type { Page } from './page.ts';

const LINK_NAMES: Partial<Record<WalletLink['kind'], string>> = { metamask: 'MetaMask', trust: 'Trust Wallet' };

/** A payment that a wallet has sent is remembered over reloads, so that nobody is asked to pay twice. */
const sentKey = (page: Page, quote: QuoteView) => `sent ${page.view.transId} ${quote.network} ${quote.amount}`;

function readSent(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

function keepSent(key: string, tx: string): void {
  try {
    sessionStorage.setItem(key, tx);
  } catch {
    // Without storage it is only forgotten at the next reload.
  }
}

type Props = { page: Page; quote: QuoteView };

function SentNote({ page, tx }: { page: Page; tx: string }): JSX.Element {
  return h(
    'div',
    { class: 'note note-good' },
    icon('check'),
    h('div', null, h('p', null, page.words.text('walletSent')), h('p', { class: 'hash small', dir: 'ltr' }, tx)),
  );
}

function InjectedButtons({ page, quote, transfer }: Props & { transfer: Transfer }): JSX.Element | null {
  const { words } = page;
  const key = sentKey(page, quote);
  const [wallets, setWallets] = useState<InjectedWallet[]>([]);
  const [asking, setAsking] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [sent, setSent] = useState<string | null>(null);
  useEffect(() => {
    setSent(readSent(key));
    return findInjectedWallets(setWallets);
  }, []);
  if (sent) return h(SentNote, { page, tx: sent });
  if (wallets.length === 0) return null;
  const pay = async (wallet: InjectedWallet) => {
    setAsking(wallet.id);
    setProblem(null);
    const result = await sendTransfer(wallet.provider, transfer);
    setAsking(null);
    if ('sent' in result) {
      keepSent(key, result.sent);
      setSent(result.sent);
      return page.announce(words.text('walletSent'));
    }
    const said = words.text(result.failed, { wallet: wallet.name, network: quote.networkName });
    setProblem(said);
    page.announce(said);
  };
  return h(
    'div',
    { class: 'wallets' },
    wallets.map((wallet) =>
      h(
        'button',
        {
          key: wallet.id,
          type: 'button',
          class: 'button button-main',
          'aria-disabled': asking ? 'true' : undefined,
          onClick: () => void (asking ?? pay(wallet)),
        },
        wallet.icon && h('img', { src: wallet.icon, alt: '', width: 24, height: 24 }),
        h('span', null, words.say(asking === wallet.id ? 'walletConfirm' : 'payWith', { wallet: wallet.name })),
      ),
    ),
    problem && h('p', { class: 'note note-bad' }, icon('warning'), h('span', null, problem)),
  );
}

export function WalletButtons({ page, quote }: Props): JSX.Element | null {
  const { words } = page;
  if (!quote.injected && quote.links.length === 0) return null;
  return h(
    'div',
    { class: 'pay-with' },
    quote.injected && h(InjectedButtons, { key: quote.amount, page, quote, transfer: quote.injected }),
    quote.links.length > 0 &&
      h(
        'div',
        { class: 'links' },
        quote.links.map(({ kind, url }) => {
          const wallet = LINK_NAMES[kind];
          return h(
            'a',
            { key: kind, class: 'button', href: url, rel: 'noreferrer' },
            wallet ? words.text('openIn', { wallet }) : words.text('openInWallet'),
          );
        }),
      ),
  );
}

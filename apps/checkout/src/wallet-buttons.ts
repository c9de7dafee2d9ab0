import type { JSX } from 'preact';
import { h } from 'preact';
import type { QuoteView, WalletLink } from './checkout-view.ts';
import { note } from './note.ts';
import type { Page } from './page.ts';

/**
 * Links in order. Those of single wallets precede EIP-681, which wallets read differently; all read Solana Pay alike.
 */
const LINKS: { kind: WalletLink['kind']; name?: string }[] = [
  { kind: 'solana-pay', name: 'Solana Pay' },
  { kind: 'metamask', name: 'MetaMask' },
  { kind: 'trust', name: 'Trust Wallet' },
  { kind: 'eip681' },
];

function SentNote({ page, tx }: { page: Page; tx: string }): JSX.Element {
  return note('good', page.words.text('walletSent'), h('span', { class: 'hash small', dir: 'ltr' }, tx));
}

function InjectedButtons({ page: { words, moment, act } }: { page: Page }): JSX.Element {
  return h(
    'div',
    { class: 'wallets' },
    moment.wallets.map((wallet) =>
      h(
        'button',
        {
          key: wallet.id,
          type: 'button',
          class: 'button button-main',
          'aria-disabled': moment.asking ? 'true' : undefined,
          onClick: () => act.pay(wallet),
        },
        wallet.icon && h('img', { src: wallet.icon, alt: '', width: 24, height: 24 }),
        h('span', null, words.say(moment.asking === wallet.id ? 'walletConfirm' : 'payWith', { wallet: wallet.name })),
      ),
    ),
    moment.walletProblem && note('bad', moment.walletProblem),
  );
}

/** Payment without another device: browser wallets, or the payment that one has sent. */
export function WalletButtons({ page, quote }: { page: Page; quote: QuoteView }): JSX.Element | false {
  const { moment } = page;
  if (moment.sent) return h(SentNote, { page, tx: moment.sent });
  return quote.injected !== null && moment.wallets.length > 0 && h(InjectedButtons, { page });
}

/** App links with the whole payment, for phones; desktops have the QR code. */
export function WalletLinks({ page: { words, moment }, quote }: { page: Page; quote: QuoteView }): JSX.Element | false {
  return (
    !moment.sent &&
    h(
      'div',
      { class: 'links' },
      LINKS.flatMap(({ kind, name }) =>
        quote.links
          .filter((link) => link.kind === kind)
          .map(({ url }) =>
            h('a', { key: kind, class: 'button', href: url, rel: 'noreferrer' }, name ?? words.text('otherWallet')),
          ),
      ),
    )
  );
}

import type { WalletLink } from '@counterfoil/checkout/checkout-view';
import type { Network, Token } from '../networks/network.ts';
import { solanaPayUri } from '../networks/solana-pay.ts';

type AskedPayment = {
  network: Network;
  token: Token;
  to: string;
  units: bigint;
  amount: string;
  /** Reference of the quote; null on networks without references. */
  reference: string | null;
};

type InjectedCall = { chainIdHex: string; contract: string | null; unitsHex: string; to: string };

function trustLink({ network, token, to, amount }: AskedPayment): WalletLink {
  const asset = `c${network.payer.trustCoin}${token.contract === null ? '' : `_t${token.contract}`}`;
  const query = new URLSearchParams({ asset, address: to, amount });
  return { kind: 'trust', url: `https://link.trustwallet.com/send?${query.toString()}` };
}

/** EIP-681: a coin goes to its receiver, a token by a call of its contract. */
function evmTarget({ network, token, to, units }: AskedPayment): string {
  return token.contract === null
    ? `${to}@${network.chainId}?value=${units}`
    : `${token.contract}@${network.chainId}/transfer?address=${to}&uint256=${units}`;
}

function solanaPay({ token, to, units, reference }: AskedPayment): string {
  return solanaPayUri({ wallet: to, token, units, references: reference === null ? [] : [reference] });
}

export function walletLinks(payment: AskedPayment): WalletLink[] {
  switch (payment.network.family) {
    case 'evm':
      return [
        { kind: 'eip681', url: `ethereum:${evmTarget(payment)}` },
        { kind: 'metamask', url: `https://link.metamask.io/send/${evmTarget(payment)}` },
        trustLink(payment),
      ];
    case 'tron':
      // Tron has no link scheme that wallets support.
      return [trustLink(payment)];
    case 'solana':
      return [{ kind: 'solana-pay', url: solanaPay(payment) }, trustLink(payment)];
    case 'exchange':
      // In a platform's app, the payer types the receiver's id and the amount.
      return [];
    case 'sandbox':
      // No wallet can pay on sandbox networks.
      return [];
  }
}

export function injectedCall({ network, token, to, units }: AskedPayment): InjectedCall | null {
  if (network.family !== 'evm' || network.chainId === null) return null;
  return {
    chainIdHex: `0x${network.chainId.toString(16)}`,
    contract: token.contract,
    unitsHex: `0x${units.toString(16)}`,
    to,
  };
}

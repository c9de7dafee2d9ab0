import { parseDecimal } from '@counterfoil/core/amount.ts';
import { findNetwork } from '../chains/networks.ts';
import { findToken } from '../../src/networks/network.ts';
import type { DemoChain } from './demo-chains.ts';

/** A wallet on the demo's chains: sends exactly the amount that an invoice asks for. */

type Demand = { network: string; token: string; amount: string; address: string };

export type Wallet = (demand: Demand) => Promise<string>;

export function createWallet(chains: readonly DemoChain[]): Wallet {
  return async ({ network: symbol, token: tokenSymbol, amount, address }) => {
    const network = findNetwork(symbol);
    const token = network && findToken(network, tokenSymbol);
    const chain = chains.find((one) => one.network === symbol);
    const units = token && parseDecimal(amount, token.decimals);
    if (!token || !chain || units === undefined) throw new Error(`This wallet has no ${tokenSymbol} on ${symbol}.`);
    return chain.pay(token, address, units);
  };
}

import { parseDecimal } from '../src/lib/amount.ts';
import { findNetwork, findToken } from '../src/networks/network.ts';
import type { Anvil } from '../test/chain/anvil.ts';
import { payNative, payToken } from '../test/chain/payment.ts';

/** A wallet on the demo's chains: sends exactly what an invoice asks for. */

export type Demand = { network: string; token: string; amount: string; address: string };

export type Wallet = (demand: Demand) => Promise<string>;

export function createWallet(chains: ReadonlyMap<string, Anvil>): Wallet {
  return async ({ network: symbol, token: tokenSymbol, amount, address }) => {
    const network = findNetwork(symbol);
    const token = network && findToken(network, tokenSymbol);
    const chain = chains.get(symbol);
    const units = token && parseDecimal(amount, token.decimals);
    if (!token || !chain || units === undefined) throw new Error(`This wallet has no ${tokenSymbol} on ${symbol}.`);
    const to = address as `0x${string}`;
    return token.contract === null
      ? payNative(chain, { to, units })
      : payToken(chain, { token: token.contract as `0x${string}`, to, units });
  };
}

import type { MethodName, MethodView } from '@counterfoil/checkout/checkout-view';
import { requireDecimal } from '../lib/amount.ts';
import { USD_DECIMALS } from '../ledger/fee.ts';
import type { Network, Token } from '../networks/network.ts';
import { tokenName } from '../networks/network.ts';
import type { Networks } from '../networks/networks.ts';
import { checkLimits } from '../invoices/decide-selection.ts';
import type { CheckoutFacts } from './checkout-facts-sql.ts';
import type { NetworkState } from './network-state.ts';
import type { Surroundings } from './network-conditions.ts';

/** Methods that a store can be paid with, each with the reason if it cannot be chosen now. */

export function methodName(network: Network, token: Token): MethodName {
  return {
    token: token.symbol,
    tokenName: tokenName(token.symbol),
    network: network.id,
    networkName: network.name,
    standard: network.payer.standard,
    family: network.family,
  };
}

type Offer = { networks: Networks; facts: CheckoutFacts; surroundings: Surroundings; nowMs: number };

function refusalOf(offer: Offer, network: Network, token: Token, state: NetworkState): MethodView['refusal'] {
  const { facts, surroundings, nowMs } = offer;
  const invoice = { amountUnits: requireDecimal(facts.amountUsd, USD_DECIMALS), expiresAt: facts.expiresAt };
  const refusal = checkLimits(invoice, network, token, nowMs);
  if (refusal) return refusal;
  if (state === 'unavailable') return 'network-unavailable';
  return surroundings.priced.has(token.pricedAs) ? null : 'price-unavailable';
}

export function paymentMethods(offer: Offer): MethodView[] {
  const offered = [...offer.networks.values()].filter(({ id }) => offer.facts.walletNetworks.includes(id));
  return offered.flatMap((network) => {
    const state = offer.surroundings.chains.get(network.id)?.state ?? 'unavailable';
    return network.tokens.map((token): MethodView => ({
      ...methodName(network, token),
      state,
      refusal: refusalOf(offer, network, token, state),
      typicalSeconds: network.payer.typicalSeconds,
      feeHint: network.payer.fee,
    }));
  });
}

import type { MethodName, MethodView } from '@counterfoil/checkout/checkout-view';
import { requireDecimal } from '@counterfoil/core/amount.ts';
import { USD_DECIMALS } from '@counterfoil/core/usd.ts';
import { isExchange } from '../networks/exchange-networks.ts';
import type { Network, Token } from '../networks/network.ts';
import { tokenName } from '../networks/network.ts';
import type { Networks } from '../networks/networks.ts';
import { isOffered } from '../wallets/exchange-account.ts';
import { checkLimits, hasEnoughAmounts, isMethodOf, isStill } from '../invoices/decide-selection.ts';
import type { CheckoutFacts } from './checkout-facts-sql.ts';
import type { NetworkState } from './network-state.ts';
import type { Surroundings } from './network-conditions.ts';

/** Payment methods of a store, with the reason if one cannot be chosen now. */

export function methodName(network: Network, token: Token): MethodName {
  return {
    token: token.symbol,
    tokenName: tokenName(token.symbol),
    network: network.id,
    networkName: network.name,
    // Platforms offer no choice of chain: tokens distinguish their methods.
    standard: isExchange(network) ? token.symbol : network.payer.standard,
    family: network.family,
  };
}

type Offer = { networks: Networks; facts: CheckoutFacts; surroundings: Surroundings; nowMs: number };

const amountUnitsOf = ({ amountUsd }: CheckoutFacts) => requireDecimal(amountUsd, USD_DECIMALS);

function stateOf({ facts, surroundings, nowMs }: Offer, network: Network): NetworkState {
  const accounts = facts.exchanges.filter((account) => account.network === network.id);
  if (isExchange(network) && !accounts.some((account) => isOffered(account, nowMs))) return 'unavailable';
  return surroundings.chains.get(network.id)?.state ?? 'unavailable';
}

function refusalOf(offer: Offer, network: Network, token: Token, state: NetworkState): MethodView['refusal'] {
  const { facts, surroundings, nowMs } = offer;
  const invoice = { amountUnits: amountUnitsOf(facts), expiresAt: facts.expiresAt };
  const refusal = checkLimits(invoice, network, token, nowMs);
  if (refusal) return refusal;
  if (state === 'unavailable') return isExchange(network) ? 'account-unavailable' : 'network-unavailable';
  const isPriced = surroundings.priced.has(token.pricedAs) && !isStill(facts.pricesGoneUntil, nowMs);
  return isPriced ? null : 'price-unavailable';
}

function methodView(offer: Offer, network: Network, token: Token, state: NetworkState): MethodView {
  return {
    ...methodName(network, token),
    state,
    refusal: refusalOf(offer, network, token, state),
    typicalSeconds: network.payer.typicalSeconds,
    feeHint: network.payer.fee,
    lowestFee: false,
  };
}

const FEES: readonly MethodView['feeHint'][] = ['none', 'very-low', 'low', 'medium', 'high'];

/** Marks the cheapest network of each token. Only fee levels are known: with a tie none is marked. */
export function markLowestFees(methods: MethodView[]): MethodView[] {
  const chosen = methods.filter(({ refusal, family }) => refusal === null && family !== 'exchange');
  return methods.map((method) => {
    const others = chosen.filter((other) => other.token === method.token && other !== method);
    const dearer = others.every(({ feeHint }) => FEES.indexOf(feeHint) > FEES.indexOf(method.feeHint));
    return { ...method, lowestFee: chosen.includes(method) && others.length > 0 && dearer };
  });
}

export function paymentMethods(offer: Offer): MethodView[] {
  const offered = [...offer.networks.values()].filter(({ id }) => offer.facts.walletNetworks.includes(id));
  const methods = offered.flatMap((network) => {
    const state = stateOf(offer, network);
    const tokens = network.tokens.filter(
      (token) =>
        isMethodOf(offer.facts, { network: network.id, token: token.symbol }) &&
        hasEnoughAmounts(amountUnitsOf(offer.facts), network, token),
    );
    return tokens.map((token) => methodView(offer, network, token, state));
  });
  return markLowestFees(methods);
}

import { formatDecimal } from '@counterfoil/core/amount.ts';
import { publicSymbol } from '@counterfoil/core/network-id.ts';
import { findToken } from '../networks/network.ts';
import { createNetworks } from '../networks/networks.ts';

/** A transfer that arrived for an invoice and did not complete it. */

/** `exact`: it can be for no other invoice. `likely`: no other invoice's amount is near. */
export type MoneyMatch = 'exact' | 'likely';

export type MoneyFacts = {
  /** Whether the transfer belongs to the invoice: by the exact amount, or because a person attached it. */
  attached: boolean;
  /** Whether the payment names the invoice's quote by its reference. */
  named: boolean;
  /** Whether the transfer is marked with a quote of the invoice, because no other quote is near its amount. */
  marked: boolean;
};

/** Whether a transfer is for an invoice with certainty or only likely; undefined where it may be for several. */
export function matchOfMoney({ attached, named, marked }: MoneyFacts): MoneyMatch | undefined {
  if (attached || named) return 'exact';
  return marked ? 'likely' : undefined;
}

type TransferIdentity = { network: string; txId: string; index: string };

/** A transfer's identity as text: the same whenever the chain is read again. */
export function transferIdentity({ network, txId, index }: TransferIdentity): string {
  return `${network} ${txId} ${index}`;
}

type ShownMoney = TransferIdentity & { token: string; units: string; reason: string; match: MoneyMatch };

const NETWORKS = createNetworks();

/** A transfer as events and lookups show it. */
export function viewReceivedMoney({ network, txId, token, units, reason, match }: ShownMoney) {
  const known = NETWORKS.get(network);
  const decimals = known && findToken(known, token)?.decimals;
  if (decimals === undefined) throw new Error(`${token} on ${network} is recorded but not known.`);
  return {
    transaction_hash: txId,
    network_symbol: publicSymbol(network),
    token_symbol: token,
    amount: formatDecimal(BigInt(units), decimals),
    reason,
    match,
  };
}

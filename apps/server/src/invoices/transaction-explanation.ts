import type { Network, Token } from '../networks/network.ts';
import { findToken } from '../networks/network.ts';
import type { InspectedTransaction } from '../sources/inspected-transaction.ts';
import type { QuoteRow } from '../quotes/quote.ts';
import { chainUnits, WINDOW_SKEW_SECONDS } from '../quotes/quote.ts';

/** Explains why a transaction pays an invoice or not, by transfers to the invoice's addresses. */

export type Explanation =
  | { reason: 'not-found' }
  | { reason: 'failed' }
  | { reason: 'other-address' }
  | { reason: 'unlisted-token'; contract: string }
  | { reason: 'through-contract' }
  | { reason: 'wrong-token'; token: string }
  | { reason: 'short'; byUnits: bigint; token: Token }
  | { reason: 'over'; byUnits: bigint; token: Token }
  | { reason: 'early'; bySeconds: number }
  | { reason: 'late'; bySeconds: number }
  | { reason: 'matches'; height: number };

export type ExplainedQuote = QuoteRow & { createdAt: Date };

type Arrived = { token: Token; units: bigint };

function sameAddress(network: Network, left: string | null, right: string): boolean {
  if (left === null) return false;
  return network.family === 'evm' ? left.toLowerCase() === right.toLowerCase() : left === right;
}

/** Listed tokens and coins that arrived at the quote's address. */
function arrivals(network: Network, address: string, transaction: InspectedTransaction): Arrived[] {
  const tokens = transaction.transfers.flatMap((transfer): Arrived[] => {
    const token = transfer.token === null ? undefined : findToken(network, transfer.token);
    return token && sameAddress(network, transfer.to, address) ? [{ token, units: transfer.units }] : [];
  });
  const coin = network.tokens.find((token) => token.contract === null);
  const direct = coin && transaction.coin.units > 0n && sameAddress(network, transaction.coin.to, address);
  return direct ? [...tokens, { token: coin, units: transaction.coin.units }] : tokens;
}

function explainAbsence(network: Network, address: string, transaction: InspectedTransaction): Explanation {
  const unlisted = transaction.transfers.find(
    (transfer) => transfer.token === null && sameAddress(network, transfer.to, address),
  );
  if (unlisted) return { reason: 'unlisted-token', contract: unlisted.contract };
  // Coins passed on by a contract appear in no list of transfers, so the payer is informed of the possibility; a
  // contract wallet sends coins even with zero value. Coins of a plain transfer can only have gone to its receiver.
  const { units, throughContract } = transaction.coin;
  const mayPassOn = throughContract === true && (units > 0n || transaction.transfers.length === 0);
  return mayPassOn ? { reason: 'through-contract' } : { reason: 'other-address' };
}

export function explainTransaction(
  network: Network,
  quote: ExplainedQuote,
  expiresAt: Date,
  transaction: InspectedTransaction | null,
): Explanation {
  if (!transaction) return { reason: 'not-found' };
  if (!transaction.succeeded) return { reason: 'failed' };
  const arrived = arrivals(network, quote.toAddress, transaction);
  const [first] = arrived;
  if (!first) return explainAbsence(network, quote.toAddress, transaction);
  const ofToken = arrived.filter(({ token }) => token.symbol === quote.token);
  const [nearest] = ofToken;
  if (!nearest) return { reason: 'wrong-token', token: first.token.symbol };
  const due = chainUnits(quote.displayUnits, nearest.token);
  if (!ofToken.some(({ units }) => units === due)) {
    const byUnits = nearest.units - due;
    return byUnits < 0n
      ? { reason: 'short', byUnits: -byUnits, token: nearest.token }
      : { reason: 'over', byUnits, token: nearest.token };
  }
  const opensAt = Math.floor(quote.createdAt.getTime() / 1000) - WINDOW_SKEW_SECONDS;
  const closesAt = Math.floor(expiresAt.getTime() / 1000);
  if (transaction.time < opensAt) return { reason: 'early', bySeconds: opensAt - transaction.time };
  if (transaction.time > closesAt) return { reason: 'late', bySeconds: transaction.time - closesAt };
  return { reason: 'matches', height: transaction.height };
}

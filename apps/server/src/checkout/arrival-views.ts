import type { ArrivalView } from '@counterfoil/checkout/checkout-view';
import { formatDecimal } from '@counterfoil/core/amount.ts';
import { isExchange } from '../networks/exchange-networks.ts';
import type { Network, Token } from '../networks/network.ts';
import { findToken } from '../networks/network.ts';
import type { Networks } from '../networks/networks.ts';
import { chainUnits } from '../quotes/quote.ts';
import type { CheckoutFacts, QuoteFact, TransferFact } from './checkout-facts-sql.ts';

const MAX_ARRIVALS = 5;
const MINUS = '\u2212';

type Difference = Pick<ArrivalView, 'difference' | 'comparison'>;

/** Null if equal, or for different networks or tokens. */
function differenceOf(transfer: TransferFact, quote: QuoteFact | undefined, token: Token): Difference {
  const none = { difference: null, comparison: null };
  if (!quote || quote.network !== transfer.network || quote.token !== transfer.token) return none;
  const gap = BigInt(transfer.units) - chainUnits(BigInt(quote.displayUnits), token);
  if (gap === 0n) return none;
  const difference = formatDecimal(gap < 0n ? -gap : gap, token.decimals);
  return { difference, comparison: { asked: quote.tokenAmount, difference: `${gap < 0n ? MINUS : '+'}${difference}` } };
}

/** Whether the customer can confirm a transfer as theirs. Payments inside an exchange platform have no hash. */
function claimOf({ reason, txId }: TransferFact, network: Network, claimed: readonly string[]): ArrivalView['claim'] {
  if (isExchange(network) || (reason !== 'short' && reason !== 'over')) return null;
  return claimed.includes(txId) ? 'claimed' : 'open';
}

export function arrivalViews(
  networks: Networks,
  { transfers, quotes, claimedTxIds }: Pick<CheckoutFacts, 'transfers' | 'quotes' | 'claimedTxIds'>,
): ArrivalView[] {
  return transfers
    .flatMap((transfer): ArrivalView[] => {
      const network = networks.get(transfer.network);
      const token = network && findToken(network, transfer.token);
      if (transfer.reason === null || !token) return [];
      const quote = quotes.find((one) => one.id === transfer.quoteId);
      return [
        {
          reason: transfer.reason.replaceAll('_', '-'),
          token: token.symbol,
          amount: formatDecimal(BigInt(transfer.units), token.decimals),
          ...differenceOf(transfer, quote, token),
          networkName: network.name,
          txId: transfer.txId,
          atMs: transfer.timeSeconds * 1000,
          claim: claimOf(transfer, network, claimedTxIds),
        },
      ];
    })
    .slice(0, MAX_ARRIVALS);
}

import type { ArrivalView } from '@counterfoil/checkout/checkout-view';
import { formatDecimal } from '@counterfoil/core/amount.ts';
import type { Token } from '../networks/network.ts';
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

export function arrivalViews(networks: Networks, { transfers, quotes }: CheckoutFacts): ArrivalView[] {
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
        },
      ];
    })
    .slice(0, MAX_ARRIVALS);
}

import type { InvoiceHistory } from '../../api/invoice-queries.ts';
import type { Arrival } from '../../api/unmatched-queries.ts';
import { isNothing, subtract } from '../../language/decimals.ts';

/** What attaching a transfer to an invoice would mean, from the facts of both. */

type Quote = InvoiceHistory['quotes'][number];

export type AttachPlan = {
  /** The quote that the transfer is compared with: its own token and network first. */
  quote: Quote | undefined;
  /** Received minus expected; undefined where the tokens differ or nothing was chosen. */
  difference: string | undefined;
  /** What must be confirmed apart from the attachment itself. */
  accepts: 'short' | 'over' | 'other' | 'open' | undefined;
  isOpen: boolean;
  /** The fee that the completed invoice costs, if the reader may see it. */
  fee: string | undefined;
};

function acceptsOf(difference: string | undefined, isOpen: boolean): AttachPlan['accepts'] {
  if (difference === undefined) return 'other';
  if (!isNothing(difference)) return difference.startsWith('-') ? 'short' : 'over';
  return isOpen ? 'open' : undefined;
}

export function planAttachment(
  { amount, token, network }: Pick<Arrival, 'amount' | 'token' | 'network'>,
  { invoice, quotes, fees }: Pick<InvoiceHistory, 'quotes' | 'fees'> & { invoice: { status: string } },
): AttachPlan {
  const alike = quotes.filter((one) => one.token === token && one.network === network);
  const quote = alike.at(-1) ?? quotes.find((one) => one.shown) ?? quotes.at(-1);
  const isAlike = quote !== undefined && alike.includes(quote);
  const difference = isAlike && amount !== null ? subtract(amount, quote.token_amount) : undefined;
  const isOpen = invoice.status === 'waiting' || invoice.status === 'processing';
  const fee = fees?.find(({ kind }) => kind === 'hold')?.amount;
  return {
    quote,
    difference,
    accepts: acceptsOf(difference, isOpen),
    isOpen,
    fee: fee === undefined || isNothing(fee) ? undefined : fee,
  };
}

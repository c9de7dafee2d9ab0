import type { Database } from '../../src/db/database.ts';
import { selectPaymentMethod } from '../../src/invoices/select-payment-method.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { NETWORKS } from '../chains/networks.ts';
import { waitUntil } from '../processes/wait-until.ts';
import { VISITOR } from '../stores/open-store.ts';

export type MethodChoice = { transId: string; network: string; token: string };

/** Selects a payment method as a customer does on the page; throws when the selection is refused. */
export async function selectMethod(
  context: { database: Database; clock: Clock },
  choice: MethodChoice,
): Promise<QuoteRow> {
  const selection = await selectPaymentMethod({ ...context, networks: NETWORKS }, VISITOR, choice);
  if (selection.selected) return selection.quote;
  throw new Error(`${choice.token} on ${choice.network} was refused: ${selection.refusal}`);
}

const POLL_MS = 50;

/** Selects a payment method as soon as a worker has read the network up to the present. */
export async function selectWhenOffered(
  context: { database: Database; clock: Clock },
  choice: MethodChoice,
): Promise<QuoteRow> {
  let quote: QuoteRow | undefined;
  const select = async () => {
    const selection = await selectPaymentMethod({ ...context, networks: NETWORKS }, VISITOR, choice);
    if (selection.selected) quote = selection.quote;
    return selection.selected;
  };
  await waitUntil(select, { what: `${choice.token} on ${choice.network} is not offered.`, pollMs: POLL_MS });
  if (!quote) throw new Error('Nothing was selected.');
  return quote;
}

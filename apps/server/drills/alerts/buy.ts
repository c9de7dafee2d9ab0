import { payToken } from '../../rig/chains/evm/payment.ts';
import { canonicalToken } from '../../rig/chains/evm/token.ts';
import { unitsOf } from '../../rig/invoices/pay-invoice.ts';
import { selectWhenOffered } from '../../rig/invoices/select-method.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { QuoteRow } from '../../src/quotes/quote.ts';
import type { NodeName } from './nodes.ts';
import type { World } from './world.ts';

/** Purchases at the store of the drill: invoices by the API, payments on the nodes. */

export type Purchase = { transId: string; network: NodeName; quote: QuoteRow };

const AMOUNT = '25';
const POLL_MS = 100;

export async function createInvoice({ processes, store, shop }: World): Promise<string> {
  const response = await fetch(`${processes.api().url}/payment/crypto`, {
    method: 'POST',
    headers: { 'x-api-key': store.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      merchant_id: store.merchantId,
      amount: AMOUNT,
      callback_url: `${shop.url}/${store.merchantId}`,
    }),
  });
  const { data } = (await response.json()) as { data?: { trans_id: string } };
  if (!data) throw new Error(`The API created no invoice: ${response.status}.`);
  return data.trans_id;
}

/** Creates an invoice and selects how it will be paid. */
export async function order(world: World, network: NodeName): Promise<Purchase> {
  const transId = await createInvoice(world);
  const context = { database: world.database, clock: systemClock };
  return { transId, network, quote: await selectWhenOffered(context, { transId, network, token: 'USDT' }) };
}

/** Puts the payment of a purchase into the next block. */
export async function pay({ nodes }: World, { network, quote }: Purchase): Promise<void> {
  const { anvil } = nodes[network];
  const token = canonicalToken(anvil.chainId, 'USDT').address;
  await payToken(anvil, { token, to: quote.toAddress as `0x${string}`, units: unitsOf(quote) });
}

export async function untilCompleted({ database }: World, { transId }: Purchase): Promise<void> {
  const isCompleted = async () => {
    const { rows } = await database.pool.query(`select from invoices where trans_id = $1 and status = 'completed'`, [
      transId,
    ]);
    return rows.length > 0;
  };
  await waitUntil(isCompleted, { what: `${transId} is not completed.`, pollMs: POLL_MS });
}

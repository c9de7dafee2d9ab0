import type { Browser } from '../../../apps/checkout/preview/browser.ts';
import { makeFinal } from '../../../apps/server/rig/chains/evm/live-chain.ts';
import type { TradingSite } from '../../../apps/server/rig/people/trading-site.ts';
import { choose, expectTitle, readView, sendPayment, visit, WITHIN } from '../../customer.ts';
import type { Visit } from '../person.ts';

/** One merchant's way through the whole product. Every chapter continues where the previous one ended. */

export type Journey = {
  site: TradingSite;
  browser: Browser;
  /** The owner's browser. */
  visit: Visit;
  /** The address of a page of the merchant. */
  at: (path: string) => string;
};

export const MAREN = { mail: 'maren@northwind.example', name: 'Maren Lindqvist', password: 'three words of maren' };
export const STORE = 'Coffee Roasters';

export type Order = { merchantId: string; apiKey: string; amount: string; name: string };

/** Creates an invoice as the merchant's server does. */
export async function createOrder(
  { site }: Journey,
  { merchantId, apiKey, amount, name }: Order,
): Promise<{ status: number; error: string | undefined; transId: string }> {
  const response = await fetch(`${site.api.url}/payment/crypto`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': apiKey },
    body: JSON.stringify({
      merchant_id: merchantId,
      amount,
      name,
      callback_url: `http://127.0.0.1:${site.shop.port}/paid`,
    }),
  });
  const body = (await response.json()) as { error_code?: string; data?: { trans_id?: string } };
  return { status: response.status, error: body.error_code, transId: body.data?.trans_id ?? '' };
}

/** A customer chooses USDT on the payment page and pays the requested amount on the chain, or less by some units. */
export async function payAsCustomer({ site, browser }: Journey, transId: string, lessUnits = 0n): Promise<string> {
  const customer = await visit(browser, `${site.api.url}/bill/${transId}`);
  await choose(customer.page, 'USDT', 'BNB Smart Chain');
  await expectTitle(customer.page, 'Send your payment');
  const { quote } = await readView({ api: () => site.api }, transId);
  if (!quote?.injected) throw new Error('Nothing was chosen.');
  const unitsHex = `0x${(BigInt(quote.injected.unitsHex) - lessUnits).toString(16)}`;
  const hash = await sendPayment(site.chain, { ...quote, injected: { ...quote.injected, unitsHex } });
  await makeFinal(site.chain);
  if (lessUnits === 0n) await expectTitle(customer.page, 'Paid');
  else await customer.page.getByText('Is this your payment?').waitFor({ timeout: WITHIN.timeout });
  await customer.context.close();
  return hash;
}

import type { SecuredSite } from '../../apps/server/rig/site/secured-site.ts';
import { call } from './secure-call.ts';

export type Order = { transId: string; url: string };

/** Creates an invoice as the merchant's server does, over HTTPS at the host of the API. */
export async function createOrder({ caddy, store }: SecuredSite, more: Record<string, string> = {}): Promise<Order> {
  const answer = await call(`${caddy.apiUrl}/payment/crypto`, {
    ca: caddy.rootCertificate,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': store.apiKey },
    body: JSON.stringify({ merchant_id: store.merchantId, amount: '49.98', ...more }),
  });
  if (answer.status !== 200) throw new Error(`No invoice: ${answer.status} ${answer.text}`);
  const { data } = JSON.parse(answer.text) as { data: { trans_id: string; url_payment: string } };
  return { transId: data.trans_id, url: data.url_payment };
}

/** How many streams of payment pages are open at the server. */
export async function countViewers({ api }: SecuredSite): Promise<number> {
  const { text } = await call(`${api.operationsUrl}/metrics`);
  return Number(/^counterfoil_checkout_viewers (\d+)$/m.exec(text)?.[1]);
}

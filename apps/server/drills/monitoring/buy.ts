import type { Demo } from '../../rig/site/demo-site.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';

const PAID_MS = 120_000;
const POLL_MS = 200;
const PRODUCT = 'beans';

const post = (url: string, fields: Record<string, string>) =>
  fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) });

/** Buys in the demo's shop and waits until the shop received the webhook of the paid invoice. */
export async function buy({ shop }: Demo, network: string): Promise<void> {
  const bought = await post(`${shop.url}/buy`, { product: PRODUCT });
  const checkoutUrl = bought.headers.get('location') ?? '';
  const [order] = shop.orders.all();
  if (!order) throw new Error('Nothing was ordered.');
  const selected = await post(`${checkoutUrl}/select`, { network, token: 'USDT' });
  if (selected.status !== 303) throw new Error(`The selection answered ${selected.status}.`);
  await post(`${shop.url}/pay`, { order: order.id });
  const what = `The order on ${network} was not paid.`;
  await waitUntil(() => Promise.resolve(order.status === 'paid'), { what, timeoutMs: PAID_MS, pollMs: POLL_MS });
}

import { ALPHANUMERIC, randomText } from '../../src/lib/random.ts';
import type { Order, Orders } from './demo-order.ts';
import { PRODUCTS } from './demo-order.ts';
import type { Payable } from './demo-pages.ts';

/** A merchant's backend: creates invoices, and asks for the state of invoices. */

export type MerchantOptions = {
  apiUrl: string;
  apiKey: string;
  merchantId: string;
  orders: Orders;
  shopUrl: string;
  say: (text: string) => void;
};

export type Merchant = {
  /** Orders a product; throws when the product does not exist or the API refuses. */
  order: (productId: string) => Promise<Order>;
  /**
   * The payment that the customer selected on the checkout page; undefined before selection and after the invoice's
   * end.
   */
  payableOf: (order: Order) => Promise<Payable | undefined>;
  payables: () => Promise<Payable[]>;
  markSent: (payable: Payable) => void;
};

type Fields = Record<string, unknown>;

const ORDER_ID_LENGTH = 8;
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const keyOf = (order: Order, network: string, amount: string) => `${order.id} ${network} ${amount}`;

async function call({ apiUrl, apiKey }: MerchantOptions, path: string, body?: Fields): Promise<Fields> {
  const response = await fetch(`${apiUrl}${path}`, {
    headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { status: string; message?: string; data: Fields };
  if (answer.status !== 'success') throw new Error(answer.message ?? 'The payment service refused.');
  return answer.data;
}

export function createMerchant(options: MerchantOptions): Merchant {
  const { orders, shopUrl, merchantId, say } = options;
  const sent = new Set<string>();

  async function payableOf(order: Order): Promise<Payable | undefined> {
    if (order.status !== 'open') return undefined;
    const data = await call(options, `/invoice/${order.transId}`);
    const address = text(data['to_address']);
    if (address === '') return undefined;
    const amount = text(data['token_amount']);
    const network = text(data['network_symbol']);
    const isSent = sent.has(keyOf(order, network, amount));
    return { order, token: text(data['token_symbol']), network, amount, address, sent: isSent };
  }

  return {
    payableOf,
    payables: async () => {
      const found = await Promise.all(orders.all().map(payableOf));
      return found.filter((one) => one !== undefined);
    },
    markSent: ({ order, network, amount }) => sent.add(keyOf(order, network, amount)),
    order: async (productId) => {
      const product = PRODUCTS.find(({ id }) => id === productId);
      if (!product) throw new Error('We do not sell that.');
      const id = randomText(ALPHANUMERIC, ORDER_ID_LENGTH);
      const data = await call(options, '/payment/crypto', {
        merchant_id: merchantId,
        amount: product.amount,
        request_id: id,
        name: product.name,
        callback_url: `${shopUrl}/webhook`,
        completed_url: `${shopUrl}/orders/${id}`,
        expired_url: `${shopUrl}/orders/${id}`,
      });
      const transId = text(data['trans_id']);
      const { name, amount } = product;
      const checkoutUrl = text(data['url_payment']);
      const order: Order = { id, product: name, amount, transId, checkoutUrl, status: 'open', events: [] };
      orders.add(order);
      say(`order ${id}: invoice ${transId} over ${amount} USD`);
      return order;
    },
  };
}

/** Orders of the demo shop. Only a verified webhook event changes an order. */

type OrderStatus = 'open' | 'paid' | 'expired';

export type Order = {
  id: string;
  product: string;
  amount: string;
  transId: string;
  checkoutUrl: string;
  status: OrderStatus;
  /** Received events, newest first. */
  events: { name: string; eventId: string; at: Date }[];
};

export type Product = { id: string; name: string; text: string; amount: string };

export const PRODUCTS: readonly Product[] = [
  { id: 'beans', name: 'A kilo of coffee beans', text: 'Washed, from Sidama. Roasted on Thursday.', amount: '25.00' },
  { id: 'grinder', name: 'Hand grinder', text: 'Forty-eight steps, steel burrs.', amount: '140.00' },
  { id: 'cup', name: 'A cup, to try', text: 'One espresso, paid like a person with a wallet.', amount: '2.50' },
];

const MAX_ORDERS = 500;

export type Orders = {
  add: (order: Order) => void;
  find: (id: string) => Order | undefined;
  /** All orders, newest first. */
  all: () => Order[];
  /** Applies an event once, however often the event is received. */
  apply: (event: { event: string; event_id: string; request_id?: string }) => void;
};

export function createOrders(now: () => Date): Orders {
  const orders = new Map<string, Order>();
  return {
    add: (order) => {
      const [oldest] = orders.keys();
      if (orders.size >= MAX_ORDERS && oldest !== undefined) orders.delete(oldest);
      orders.set(order.id, order);
    },
    find: (id) => orders.get(id),
    all: () => [...orders.values()].toReversed(),
    apply: (event) => {
      const order = orders.get(event.request_id ?? '');
      if (!order || order.events.some(({ eventId }) => eventId === event.event_id)) return;
      order.events.unshift({ name: event.event, eventId: event.event_id, at: now() });
      order.status = event.event === 'invoice.completed' ? 'paid' : 'expired';
    },
  };
}

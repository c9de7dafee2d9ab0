import { formatDecimal, requireDecimal } from '@counterfoil/core/amount.ts';
import type { FakePayment } from '../../rig/exchanges/fake-exchange.ts';
import type { PlacedInvoice } from './invoices.ts';
import { readStatus } from './invoices.ts';
import type { World } from './world.ts';
import { waitUntil } from './world.ts';

/**
 * The ways in which customers pay, or do not, and how each invoice must end. Times are seconds of the world's own
 * clock.
 */

/** A row that pays an invoice, as the platform has it. */
export type Payment = { id: string; atMs: number; visibleAtMs: number };

/**
 * How an invoice must end. `completed`: completed without having expired. `late`: completed after it had expired.
 * `unpaid`: expired, once its end has come.
 */
export type Ending = 'completed' | 'late' | 'unpaid';

export type Kind = {
  ending: Ending;
  /** When the invoice ends, counted from now; absent where it outlives the drill. */
  endsIn?: (world: World) => number;
  /** Pays the invoice in the way of its kind; returns the row that pays, once the row has been made. */
  pay: (world: World, invoice: PlacedInvoice) => Promise<Payment | undefined>;
};

const SHOWN_DECIMALS = 6;
const MS = 1_000;

function payRow({ place, quote }: PlacedInvoice, more: Partial<FakePayment> = {}, byUnits = 0n): Payment {
  const amount = formatDecimal(requireDecimal(quote.tokenAmount, SHOWN_DECIMALS) + byUnits, SHOWN_DECIMALS);
  const atMs = more.atMs ?? place.fake.nowMs();
  const { id } = place.fake.pay(place.account.uid, { token: quote.token, amount, ...more, atMs });
  return { id, atMs, visibleAtMs: more.visibleAtMs ?? atMs };
}

const between = ({ random }: World, least: number, most: number) => least + random() * (most - least);

/** A payment that is made a second before the invoice's end and shown the given seconds after it was made. */
const shownAfter = (seconds: (world: World) => number) => async (world: World, invoice: PlacedInvoice) => {
  const atMs = invoice.endsAtMs - MS;
  return payRow(invoice, { atMs, visibleAtMs: Math.round(atMs + seconds(world) * MS) });
};

const EXPIRE_TIMEOUT_MS = 120_000;

/**
 * A payment that is made a second before the invoice's end and shown the given seconds later, but not before the
 * invoice has expired.
 */
const shownLate = (seconds: number) => async (world: World, invoice: PlacedInvoice) => {
  const hasExpired = async () => (await readStatus(world, invoice)) === 'expired';
  if (!(await waitUntil(world, EXPIRE_TIMEOUT_MS, hasExpired)))
    world.faults.add(`${invoice.transId} at ${invoice.place.network} does not expire`);
  const atMs = invoice.endsAtMs - MS;
  return payRow(invoice, { atMs, visibleAtMs: Math.max(invoice.place.fake.nowMs(), atMs + seconds * MS) });
};

/** Makes a row that pays no invoice, for a given reason. */
const miss =
  (more: Partial<FakePayment>, byUnits = 0n): Kind['pay'] =>
  async (_world, invoice) => {
    payRow(invoice, more, byUnits);
    return undefined;
  };

const soon = (world: World) => between(world, 30, 120);
const HOUR = 3_600;
const HOURS = 24;
/** How long a platform holds a deposit before it credits or refuses it: longer than an invoice lives. */
export const HELD_HOURS = 30;
const LEAST_HOURS = 2;
/**
 * Seconds for which one hour of the last day has its turn: workers read the last day again in 24 slices of an hour, one
 * after another.
 */
const TURN = HOUR / HOURS;
/**
 * `SHOWN_AFTER`: seconds from now until a row of the kind `lateByTwoHours` is shown. `TURN_AFTER`: least seconds from
 * now until the hour of a row of the kind `lateByHours` is read again.
 */
const SHOWN_AFTER = 60;
const TURN_AFTER = 120;

/**
 * End of an invoice in seconds from now, always negative: an end more than two hours ago, in an hour of the last day
 * whose turn to be read again comes soon. For any other hour the drill would wait up to an hour. The oldest two hours
 * of the last day are never chosen.
 */
function hoursAgo({ clock }: World): number {
  const now = clock.nowMs() / MS;
  let turn = Math.ceil((now + TURN_AFTER) / TURN);
  while (turn % HOURS < LEAST_HOURS || turn % HOURS >= HOURS - LEAST_HOURS) turn += 1;
  return turn * TURN - ((turn % HOURS) + 0.5) * HOUR - now;
}

export const KINDS = {
  plain: { ending: 'completed', pay: async (_world, invoice) => payRow(invoice) },
  second: { ending: 'completed', pay: async (_world, invoice) => payRow(invoice, { way: 'second' }) },
  pending: {
    ending: 'completed',
    pay: async (world, invoice) => {
      const payment = payRow(invoice, { state: 'pending' });
      await world.pass(between(world, 20, 60));
      invoice.place.fake.settle(payment.id, 'final');
      return payment;
    },
  },
  failed: {
    ending: 'unpaid',
    endsIn: soon,
    pay: async (world, invoice) => {
      const { id } = payRow(invoice, { state: 'pending' });
      await world.pass(between(world, 20, 60));
      invoice.place.fake.settle(id, 'failed');
      return undefined;
    },
  },
  repaid: {
    ending: 'completed',
    pay: async (world, invoice) => {
      const { id } = payRow(invoice, { state: 'pending' });
      await world.pass(between(world, 20, 60));
      invoice.place.fake.settle(id, 'failed');
      return payRow(invoice);
    },
  },
  refunded: {
    ending: 'completed',
    pay: async (world, invoice) => {
      const payment = payRow(invoice);
      await world.pass(between(world, 20, 60));
      invoice.place.fake.refund(payment.id);
      return payment;
    },
  },
  hidden: {
    ending: 'completed',
    pay: async (world, invoice) => {
      const payment = payRow(invoice);
      const { vanish, restore } = invoice.place.fake;
      vanish(payment.id);
      await world.pass(between(world, 30, 90));
      restore(payment.id);
      return payment;
    },
  },
  // The delay is much shorter than the two minutes that an expiry waits for late rows, because the platform's clock may
  // be set back meanwhile, which delays the row further.
  delayed: { ending: 'completed', endsIn: soon, pay: shownAfter((world) => between(world, 20, 90)) },
  lateByMinutes: { ending: 'late', endsIn: soon, pay: shownLate(300) },
  // Invoices of this kind ended almost two hours ago, so that their rows, which are shown two hours late, are shown
  // soon.
  lateByTwoHours: {
    ending: 'late',
    endsIn: () => SHOWN_AFTER - LEAST_HOURS * HOUR,
    pay: shownLate(LEAST_HOURS * HOUR),
  },
  lateByHours: { ending: 'late', endsIn: hoursAgo, pay: shownLate(LEAST_HOURS * HOUR) },
  held: {
    ending: 'completed',
    pay: async (_world, invoice) =>
      payRow(invoice, { creditAtMs: invoice.place.fake.nowMs() + HELD_HOURS * HOUR * MS }),
  },
  heldAndFailed: {
    ending: 'unpaid',
    pay: async (world, invoice) => {
      const { id } = payRow(invoice, { state: 'pending' });
      await world.pass(HELD_HOURS * HOUR);
      invoice.place.fake.settle(id, 'failed');
      return undefined;
    },
  },
  unpaid: { ending: 'unpaid', endsIn: soon, pay: async () => undefined },
  short: { ending: 'unpaid', endsIn: soon, pay: miss({}, -1n) },
  over: { ending: 'unpaid', endsIn: soon, pay: miss({}, 1n) },
  foreign: { ending: 'unpaid', endsIn: soon, pay: miss({ token: 'DOGE' }) },
  fromChain: { ending: 'unpaid', endsIn: soon, pay: miss({ way: 'chain' }) },
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof KINDS;

import type { FakePlatform } from '../../rig/exchanges/fake-exchange.ts';
import type { Order, PlacedInvoice } from './invoices.ts';
import { placeOrders } from './invoices.ts';
import type { Ending, Kind, KindName, Payment } from './kinds.ts';
import { KINDS } from './kinds.ts';
import type { Place } from './places.ts';
import type { World } from './world.ts';

/** What the drill itself did at the platforms: the rows of the database are judged by this record. */

export type Entry = {
  invoice: PlacedInvoice;
  ending: Ending;
  /** The row that pays the invoice; undefined while there is no such row, or when no row is to pay. */
  payment: Payment | undefined;
  why: string;
};

export type Book = {
  entries: Entry[];
  /** Payments made while our IP address was banned, one for each ban. */
  paidInBans: Entry[];
  /** Platforms where an exchange account stopped because a payment vanished, and went on when the payment was back. */
  stops: Set<FakePlatform>;
  /** Platforms whose clock was wrong for a while. */
  skews: Set<FakePlatform>;
  deaths: number;
};

export function openBook(): Book {
  return { entries: [], paidInBans: [], stops: new Set(), skews: new Set(), deaths: 0 };
}

/** Places invoices, one invoice of each given kind, without paying them. */
async function placeKinds(
  world: World,
  book: Book,
  wanted: readonly { place: Place; name: KindName }[],
): Promise<{ entry: Entry; kind: Kind }[]> {
  const nowMs = world.clock.nowMs();
  const kinds = wanted.map(({ place, name }) => ({ place, name, kind: KINDS[name] as Kind }));
  const orders = kinds.map(({ place, kind }): Order => {
    const seconds = kind.endsIn?.(world);
    return { place, ...(seconds !== undefined && { endsAtMs: Math.floor(nowMs / 1_000 + seconds) * 1_000 }) };
  });
  const placed = await placeOrders(world, orders);
  return kinds.flatMap(({ kind, name }, position) => {
    const invoice = placed[position];
    if (!invoice) return [];
    const entry: Entry = { invoice, ending: kind.ending, payment: undefined, why: name };
    book.entries.push(entry);
    return [{ entry, kind }];
  });
}

/**
 * Places invoices and pays each invoice in the way of its kind. Returns once all invoices are placed; the promise
 * `paid` ends with the last payment.
 */
export async function order(
  world: World,
  book: Book,
  wanted: readonly { place: Place; name: KindName }[],
): Promise<{ entries: Entry[]; paid: Promise<unknown> }> {
  const placed = await placeKinds(world, book, wanted);
  const payAll = placed.map(async ({ entry, kind }) => {
    entry.payment = await kind.pay(world, entry.invoice);
  });
  const paid = Promise.all(payAll);
  // A failure of a payment is reported where the caller awaits `paid`; without this handler the failure would end the
  // process before that.
  paid.catch(() => {});
  return { entries: placed.map(({ entry }) => entry), paid };
}

/**
 * Places an invoice at every exchange account that outlives the drill and is never paid, so that the exchange accounts
 * stay followed all the time.
 */
export async function anchor(world: World, book: Book): Promise<void> {
  const placed = await placeOrders(
    world,
    world.places.map((place) => ({ place })),
  );
  book.entries.push(
    ...placed.map((invoice): Entry => ({ invoice, ending: 'unpaid', payment: undefined, why: 'anchor' })),
  );
}

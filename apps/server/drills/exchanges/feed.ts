import type { Book } from './book.ts';
import { order } from './book.ts';
import type { KindName } from './kinds.ts';
import type { Place } from './places.ts';
import type { World } from './world.ts';

/** Orders of all kinds, mixed and spread over all exchange accounts and over a span of time. */

export type Mix = Partial<Record<KindName, number>>;

const AT_ONCE = 6;

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((left, right) => left.place - right.place)
    .map(({ item }) => item);
}

/**
 * Decides which order comes when. Orders whose row appears two hours late come first, because an hour may pass until
 * such a row is found.
 */
function drawOrders(world: World, mix: Mix, places: readonly Place[]): { place: Place; name: KindName }[] {
  const names = Object.entries(mix).flatMap(([name, count]) => Array.from({ length: count }, () => name as KindName));
  const drawn = shuffled(names, world.random).toSorted(
    (left, right) => Number(right === 'lateByTwoHours') - Number(left === 'lateByTwoHours'),
  );
  return drawn.flatMap((name, position) => {
    const place = places[position % places.length];
    return place ? [{ place, name }] : [];
  });
}

/** Places and pays orders evenly over a span of real time, and goes on until the last order is paid. */
export async function feed(
  world: World,
  book: Book,
  { mix, places, overMs }: { mix: Mix; places: readonly Place[]; overMs: number },
): Promise<void> {
  const orders = drawOrders(world, mix, places);
  const startedMs = performance.now();
  const paid: Promise<unknown>[] = [];
  for (let done = 0; done < orders.length; done += AT_ONCE) {
    const dueMs = startedMs + (done / orders.length) * overMs;
    await world.pause(Math.max(0, dueMs - performance.now()));
    paid.push((await order(world, book, orders.slice(done, done + AT_ONCE))).paid);
  }
  await Promise.all(paid);
}

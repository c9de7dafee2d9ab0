import type { Payment } from './driver.ts';
import type { DrillInvoice, Order } from './invoices.ts';
import { drawOrder, payInvoices } from './invoices.ts';
import { SUMS_USD } from './rules.ts';
import type { World } from './world.ts';
import { sidesOf, waitUntil } from './world.ts';

/** Small payments, the same number on each network. */

const PAY_MS = 180_000;

/** Orders of small sums, in which every network takes part equally. */
export function drawSmall(world: World, count: number, more: Partial<Order> = {}): Order[] {
  const [small] = SUMS_USD;
  return Array.from({ length: count * world.symbols.length }, (_unused, position) => {
    const { changedFrom: _unwanted, ...order } = drawOrder(world, position);
    return { ...order, amount: String(small + (position % 300)), ...more };
  });
}

export async function payAll(
  world: World,
  placed: readonly DrillInvoice[],
  more: Partial<Payment> = {},
): Promise<void> {
  payInvoices(world, placed, more);
  const isPaid = () => sidesOf(world).every(({ driver }) => driver.waiting() === 0);
  if (!(await waitUntil(world, PAY_MS, isPaid))) throw new Error('The payments were not mined.');
}

/** Ids of those invoices that a worker has seen paid, or has completed. */
export async function readStates(
  world: World,
  placed: readonly DrillInvoice[],
  states: readonly string[],
): Promise<Set<string>> {
  const { rows } = await world.drill.database.pool.query<{ id: string }>(
    'select trans_id as id from invoices where trans_id = any($1) and status = any($2)',
    [placed.map(({ transId }) => transId), states],
  );
  return new Set(rows.map(({ id }) => id));
}

import type { Book, Entry } from './book.ts';
import { order } from './book.ts';
import type { PlacedInvoice } from './invoices.ts';
import { placeOrders, readStatus } from './invoices.ts';
import { KINDS } from './kinds.ts';
import type { Place } from './places.ts';
import type { World } from './world.ts';
import { waitUntil } from './world.ts';

/** The payment of a completed invoice vanishes: its exchange account stops, and goes on when the payment is back. */

const COMPLETE_TIMEOUT_MS = 90_000;
/** Longest wait for a stop: a row counts as gone after ten minutes, or later when reads fail meanwhile. */
const STOP_TIMEOUT_MS = 300_000;
/** How long the exchange account stays stopped after another invoice was paid. */
const STOPPED_SECONDS = 30;

async function isStopped(world: World, { network, account }: Place): Promise<boolean> {
  const { rows } = await world.drill.database.pool.query(
    'select from exchange_accounts where network = $1 and account = $2 and stopped_at is not null',
    [network, account.uid],
  );
  return rows.length > 0;
}

/**
 * Pays an invoice that was quoted before, while the exchange account is stopped: the invoice completes when the
 * exchange account goes on.
 */
async function payWhileStopped(world: World, book: Book, invoice: PlacedInvoice): Promise<void> {
  const payment = await KINDS.plain.pay(world, invoice);
  book.entries.push({ invoice, ending: 'completed', payment, why: 'while stopped' });
  await world.pass(STOPPED_SECONDS);
  if ((await readStatus(world, invoice)) === 'completed')
    world.faults.add(`${invoice.transId} completed at a stopped account`);
}

/** Pays an invoice whose payment will vanish, and waits until the invoice is completed. */
export async function payFirst(world: World, book: Book, place: Place): Promise<Entry> {
  const { entries, paid } = await order(world, book, [{ place, name: 'plain' }]);
  await paid;
  const [entry] = entries;
  const isCompleted = async () => entry !== undefined && (await readStatus(world, entry.invoice)) === 'completed';
  if (!entry || !(await waitUntil(world, COMPLETE_TIMEOUT_MS, isCompleted)))
    throw new Error(`A payment at ${place.network} does not complete.`);
  return entry;
}

export async function losePayment(world: World, book: Book, { invoice, payment }: Entry): Promise<void> {
  const { place, transId } = invoice;
  const { platform, vanish, restore } = place.fake;
  if (!payment) throw new Error('The payment that is to vanish was not made.');
  const complain = (what: string) => world.faults.add(`${transId} at ${place.network} ${what}`);
  const [next] = await placeOrders(world, [{ place }]);
  vanish(payment.id);
  const stopped = await waitUntil(world, STOP_TIMEOUT_MS, () => isStopped(world, place));
  if (stopped) world.say(`${platform}: an account whose payment vanished is stopped`);
  if (stopped && next) await payWhileStopped(world, book, next);
  restore(payment.id);
  if (!stopped) return complain('lost its payment and did not stop its account');
  const started = await waitUntil(world, STOP_TIMEOUT_MS, async () => !(await isStopped(world, place)));
  if (!started) return complain('has its payment back and its account is still stopped');
  book.stops.add(platform);
  world.say(`${platform}: the account goes on`);
}

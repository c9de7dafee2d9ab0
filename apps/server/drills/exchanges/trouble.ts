import type { FakeCounts, FakeExchange, FakeFault, FakeFaultKind } from '../../rig/exchanges/fake-exchange.ts';
import type { Book } from './book.ts';
import { order } from './book.ts';
import type { Place } from './places.ts';
import type { World } from './world.ts';
import { waitUntil } from './world.ts';

/** Faults of fake platforms, made one after another; each fault lasts until it has hit some requests. */

/** Faults of a platform, with how many requests each fault hits. */
const FAULTS: readonly FakeFault[] = [
  { kind: 'slow', times: 2 },
  { kind: 'error', status: 500, times: 4 },
  { kind: 'error', status: 503, times: 4 },
  { kind: 'cut', times: 4 },
  { kind: 'html', times: 3 },
  { kind: 'malformed', times: 3 },
  { kind: 'rate', retryAfterSeconds: 10, times: 2, part: 'statement' },
  { kind: 'rate', times: 1, part: 'statement' },
  // The faults that repeat or shuffle rows come late, because at first a statement has too few rows.
  { kind: 'duplicates', part: 'statement' },
  { kind: 'shuffled', times: 4, part: 'statement' },
  { kind: 'arriving', times: 4, part: 'statement' },
];
/** A row stays hidden for less than the two minutes that an expiry waits for late rows. */
const HIDDEN: FakeFault = { kind: 'hidden', youngerThanMs: 90_000, part: 'statement' };

/** Kinds of faults that must have occurred at every platform. */
export const PROMISED_KINDS = [...new Set(FAULTS.map(({ kind }) => kind)), 'hidden', 'ban'] as const;

const SPELL_TIMEOUT_MS = 60_000;
const HIDDEN_PAYMENTS = 20;
const HIDDEN_TIMEOUT_MS = 3_000;
const GAP_SECONDS = 10;
const SKEWS_MS = [10_000, -10_000];
const SKEWED_REQUESTS = 8;
const BAN_SECONDS = 60;

/** How often a fault of this kind has occurred, counted in rows where an answer without rows would prove nothing. */
export function countMet(counts: FakeCounts, kind: FakeFaultKind): number {
  return kind === 'duplicates' || kind === 'hidden' ? counts[kind] : (counts.faults[kind] ?? 0);
}

async function meet(world: World, fake: FakeExchange, fault: FakeFault): Promise<void> {
  const met = () => countMet(fake.counts(), fault.kind);
  const before = met();
  fake.misbehave(fault);
  const isOver = () => met() - before >= (fault.times ?? 1);
  // No error is thrown when the fault hit too few requests in time: faults are counted at the drill's end, and the
  // drill fails if a kind is missing.
  await waitUntil(world, SPELL_TIMEOUT_MS, isOver);
  fake.misbehave(null);
  await world.pass(GAP_SECONDS);
}

/** Hides the newest row; invoices are paid until one of their rows is asked for while it is young enough to be hidden. */
async function hide(world: World, book: Book, place: Place): Promise<void> {
  const { fake } = place;
  const before = fake.counts().hidden;
  const isMet = () => fake.counts().hidden > before;
  fake.misbehave(HIDDEN);
  for (let paid = 0; paid < HIDDEN_PAYMENTS && !isMet(); paid += 1) {
    await (
      await order(world, book, [{ place, name: 'plain' }])
    ).paid;
    await waitUntil(world, HIDDEN_TIMEOUT_MS, isMet);
  }
  fake.misbehave(null);
  await world.pass(GAP_SECONDS);
}

/** Sets the platform's clock wrong for a while, and right again. */
async function skew(world: World, book: Book, fake: FakeExchange): Promise<void> {
  for (const skewMs of SKEWS_MS) {
    const { requests } = fake.counts();
    fake.skew(skewMs);
    const wasAsked = () => fake.counts().requests - requests >= SKEWED_REQUESTS;
    if (await waitUntil(world, SPELL_TIMEOUT_MS, wasAsked)) book.skews.add(fake.platform);
  }
  fake.skew(0);
  await world.pass(GAP_SECONDS);
}

/** Has our IP address banned for as long as the platform says; an invoice is paid meanwhile. */
async function ban(world: World, book: Book, place: Place): Promise<void> {
  const { fake } = place;
  const { bans } = fake.counts();
  fake.misbehave({ kind: 'ban', retryAfterSeconds: BAN_SECONDS });
  await waitUntil(world, SPELL_TIMEOUT_MS, () => fake.counts().bans > bans);
  const { entries } = await order(world, book, [{ place, name: 'plain' }]);
  await world.pass(BAN_SECONDS);
  fake.misbehave(null);
  const [during] = entries;
  if (during && fake.counts().bans > bans) book.paidInBans.push(during);
}

/** Makes every fault of one platform, `rounds` times. Slow answers come first, because they take longest to end. */
export async function troublePlatform(
  world: World,
  book: Book,
  places: readonly Place[],
  rounds: number,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const place = places[round % places.length];
    if (!place) throw new Error('A platform has no account.');
    for (const fault of FAULTS) await meet(world, place.fake, fault);
    await hide(world, book, place);
    await skew(world, book, place.fake);
    await ban(world, book, place);
    world.say(`${place.fake.platform} has misbehaved in every way`);
  }
}

import type { FakeCounts, FakePlatform } from '../../rig/exchanges/fake-exchange.ts';
import type { Book } from './book.ts';
import { anchor, openBook } from './book.ts';
import type { DeathSizes } from './deaths.ts';
import { killWorkers } from './deaths.ts';
import type { Mix } from './feed.ts';
import { feed } from './feed.ts';
import type { Verdict } from './judge.ts';
import { settle } from './judge.ts';
import type { Place } from './places.ts';
import { troublePlatform } from './trouble.ts';
import { losePayment, payFirst } from './vanish.ts';
import type { World } from './world.ts';

/** The faulty part: platforms misbehave, workers die, and customers pay in every way. */

export type FaultySizes = {
  mix: Mix;
  /** Real time over which orders are placed. */
  overMs: number;
  /** How often each platform goes through every fault. */
  rounds: number;
  deaths: DeathSizes;
  settleMs: number;
};

export type FaultyFigures = { verdict: Verdict; book: Book; served: { platform: FakePlatform; counts: FakeCounts }[] };

/**
 * Divides the exchange accounts of each platform: an exchange account that loses a payment, and the exchange accounts
 * that receive all other payments.
 */
function sharePlaces(world: World): { losing: Place; others: Place[] }[] {
  return world.fakes.map((fake) => {
    const [losing, ...others] = world.places.filter((place) => place.fake === fake);
    if (!losing || others.length === 0) throw new Error('Every platform needs two accounts.');
    return { losing, others };
  });
}

export async function drillFaulty(world: World, sizes: FaultySizes): Promise<FaultyFigures> {
  const book = openBook();
  await anchor(world, book);
  const shared = sharePlaces(world);
  const places = shared.flatMap(({ others }) => others);
  world.say(`${world.places.length} accounts at ${world.fakes.length} platforms`);
  const lost = await Promise.all(shared.map(({ losing }) => payFirst(world, book, losing)));
  await Promise.all([
    feed(world, book, { mix: sizes.mix, places, overMs: sizes.overMs }),
    killWorkers(world, book, sizes.deaths),
    ...shared.map(({ others }) => troublePlatform(world, book, others, sizes.rounds)),
    ...lost.map((entry) => losePayment(world, book, entry)),
  ]);
  world.say(
    `${book.entries.length} invoices, ${book.deaths} deaths, ${book.paidInBans.length} bans; everything is well again`,
  );
  const verdict = await settle(world, book, sizes.settleMs);
  const served = world.fakes.map((fake) => ({ platform: fake.platform, counts: fake.counts() }));
  return { verdict, book, served };
}

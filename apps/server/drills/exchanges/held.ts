import type { StoreRef } from '../../src/db/store-ref.ts';
import { storeForOperator } from '../../src/stores/store-for-operator.ts';
import { addExchangeAccount } from '../../src/wallets/add-exchange-account.ts';
import { openBeside } from '../../rig/stores/open-beside.ts';
import { nextAddress, TESTER } from '../../rig/stores/open-store.ts';
import type { Book } from './book.ts';
import { anchor, openBook, order } from './book.ts';
import type { Verdict } from './judge.ts';
import { settle } from './judge.ts';
import type { KindName } from './kinds.ts';
import { HELD_HOURS } from './kinds.ts';
import type { Place } from './places.ts';
import { addingContext } from './places.ts';
import type { World } from './world.ts';
import { waitUntil } from './world.ts';

/**
 * The part in which hours pass: platforms hold deposits for longer than invoices live, refuse one merchant's key all the
 * time, and a key is replaced while an older key waits to be applied.
 */

export type HeldSizes = {
  /** Payments of each platform by the way they are made. */
  held: number;
  heldAndFailed: number;
  plain: number;
  settleMs: number;
};

export type HeldFigures = {
  verdict: Verdict;
  book: Book;
  held: number;
  /** Base URLs at which workers paused although only one merchant's key was refused. */
  pausedByStranger: number;
  /** Platforms at which a refused key was found and another key kept its place. */
  refusedKeys: number;
  rotations: number;
};

const HOUR = 3_600;
const SECOND_MS = 1_000;
const DAY = 24 * HOUR;
const SAMPLE_MS = 100;
const FOUND_TIMEOUT_MS = 120_000;
/** Longer than a change of payment methods waits. */
const CHANGE_HOURS = 49;

type Shared = { stranger: Place; rotating: Place; others: Place[] };

function sharePlaces(world: World): Shared[] {
  return world.fakes.map((fake) => {
    const [stranger, rotating, ...others] = world.places.filter((place) => place.fake === fake);
    if (!stranger || !rotating || others.length === 0) throw new Error('Every platform needs three accounts.');
    return { stranger, rotating, others };
  });
}

/** Base URLs at which workers pause now, by the world's clock. */
async function readPaused(world: World): Promise<string[]> {
  const { rows } = await world.drill.database.pool.query<{ url: string }>(
    'select base_url as url from platform_pauses where paused_until > $1',
    [new Date(world.clock.nowMs())],
  );
  return rows.map(({ url }) => url);
}

/** Collects the base URLs at which workers paused, until `isOver`. */
async function watchPauses(world: World, isOver: () => boolean): Promise<Set<string>> {
  const paused = new Set<string>();
  while (!isOver()) {
    for (const url of await readPaused(world)) paused.add(url);
    await world.pause(SAMPLE_MS);
  }
  return paused;
}

type AccountFacts = { keyHint: string; fault: string | null };

async function readAccount(world: World, { network, account }: Place): Promise<AccountFacts | undefined> {
  const { rows } = await world.drill.database.pool.query<AccountFacts>(
    'select key_hint as "keyHint", fault from exchange_accounts where network = $1 and account = $2',
    [network, account.uid],
  );
  return rows[0];
}

/** Gives the merchant of a place an owner, so that changes of its payment methods wait. */
async function addOwner(world: World, { store, fake }: Place): Promise<void> {
  await world.drill.database.pool.query(
    `with p as (insert into people (code, mail_normal, mail_shown, name, language, created_at)
       values ('PER-' || $1::text, lower($1) || '@shop.example', lower($1) || '@shop.example', 'Owner', 'en', now()) returning id)
     insert into memberships (merchant_account_id, person_id, role, since) select $2, id, 'owner', now() from p`,
    [fake.platform, store.merchantAccountId],
  );
}

/** Replaces the key of a place by a third one while a change with the second one waits, and ends the first two. */
async function rotate(world: World, place: Place): Promise<string> {
  const { store, network, fake, account } = place;
  const { database } = world.drill;
  await addOwner(world, place);
  const { merchantId } = await openBeside(database, store, nextAddress());
  const beside = await storeForOperator({ database }, TESTER, merchantId);
  const context = { ...addingContext({ database, clock: world.clock }), ring: store.ring };
  const add = (to: StoreRef, { credentials }: Place['account']) =>
    addExchangeAccount(context, TESTER, { store: to, network, baseUrl: fake.url, credentials });
  const second = account.issueKey();
  const waiting = await add(beside, second);
  if (!waiting.waiting) world.faults.add(`${network}: the change of a merchant with an owner did not wait`);
  const third = account.issueKey();
  await add(store.ref, third);
  for (const old of [account, second]) old.change({ active: false });
  return third.credentials.apiKey.slice(-4);
}

async function placeAll(world: World, book: Book, shared: readonly Shared[], sizes: HeldSizes) {
  const { held, heldAndFailed, plain } = sizes;
  const names = Object.entries({ held, heldAndFailed, plain }).flatMap(([name, count]) =>
    Array.from({ length: count }, () => name as KindName),
  );
  const wanted = shared.flatMap(({ rotating, others }) => {
    const places = [rotating, ...others];
    return names.flatMap((name, position) => {
      const place = places[position % places.length];
      return place ? [{ place, name }] : [];
    });
  });
  return order(world, book, wanted);
}

/** Faults of held payments that are not in progress: waiting, expired or completed too early. */
async function judgeHeld(world: World, book: Book, when: string): Promise<void> {
  const held = book.entries.filter(({ why }) => why === 'held' || why === 'heldAndFailed');
  const ids = held.map(({ invoice }) => invoice.transId);
  const { rows } = await world.drill.database.pool.query<{ id: string; status: string }>(
    `select trans_id as id, status from invoices where trans_id = any($1) and status <> 'processing'`,
    [ids],
  );
  for (const { id, status } of rows) world.faults.add(`${id} is ${status} ${when}, though its deposit is held`);
}

async function untilProcessing(world: World, book: Book): Promise<void> {
  const ids = book.entries.filter(({ why }) => why.startsWith('held')).map(({ invoice }) => invoice.transId);
  const isSeen = async () => {
    const { rows } = await world.drill.database.pool.query<{ count: number }>(
      `select count(*)::integer as count from invoices where trans_id = any($1) and status = 'processing'`,
      [ids],
    );
    return rows[0]?.count === ids.length;
  };
  if (!(await waitUntil(world, FOUND_TIMEOUT_MS, isSeen))) world.faults.add('held deposits were not seen');
}

/** Strangers' keys must be known as refused: otherwise nobody was refused here. */
async function countRefused(world: World, shared: readonly Shared[]): Promise<number> {
  const facts = await Promise.all(shared.map(({ stranger }) => readAccount(world, stranger)));
  return facts.filter((one) => one !== undefined && one.fault !== null).length;
}

async function countRotated(world: World, shared: readonly Shared[], hints: readonly string[]): Promise<number> {
  const { rows } = await world.drill.database.pool.query<{ open: number }>(
    `select count(*)::integer as open from method_changes where state <> 'applied'`,
  );
  if ((rows[0]?.open ?? 0) > 0) world.faults.add(`${rows[0]?.open} changes of payment methods were not applied`);
  const facts = await Promise.all(shared.map(({ rotating }) => readAccount(world, rotating)));
  return facts.filter((one, place) => one?.keyHint === hints[place] && one?.fault === null).length;
}

export async function drillHeld(world: World, sizes: HeldSizes): Promise<HeldFigures> {
  const book = openBook();
  const shared = sharePlaces(world);
  let over = false;
  const pauses = watchPauses(world, () => over);
  // A failure is thrown where the watch is awaited; without this handler it would end the process before that.
  pauses.catch(() => {});
  await anchor(world, book);
  const hints: string[] = [];
  for (const { rotating } of shared) hints.push(await rotate(world, rotating));
  for (const { stranger } of shared) stranger.account.change({ refusesAddress: true });
  const startedMs = world.clock.nowMs();
  const until = (seconds: number) => world.pass(Math.max(0, seconds - (world.clock.nowMs() - startedMs) / SECOND_MS));
  const { paid } = await placeAll(world, book, shared, sizes);
  await untilProcessing(world, book);
  const foundMs = world.clock.nowMs();
  if (foundMs - startedMs > DAY * SECOND_MS) world.faults.add('held deposits were found only after a day');
  await until((HELD_HOURS - 2) * HOUR);
  await judgeHeld(world, book, `${HELD_HOURS - 2} hours later`);
  await paid;
  await until((CHANGE_HOURS + 1) * HOUR);
  const late = await order(
    world,
    book,
    shared.map(({ rotating }) => ({ place: rotating, name: 'plain' as const })),
  );
  await late.paid;
  const refusedKeys = await countRefused(world, shared);
  over = true;
  const pausedByStranger = (await pauses).size;
  // Invoices at an account that cannot be read stay open; they end once its key is good again.
  for (const { stranger } of shared) stranger.account.change({ refusesAddress: false });
  const verdict = await settle(world, book, sizes.settleMs);
  const held = book.entries.filter(({ why }) => why.startsWith('held')).length;
  const rotations = await countRotated(world, shared, hints);
  world.say(`${held} deposits were held, ${refusedKeys} keys refused, ${rotations} keys kept their place`);
  return { verdict, book, held, pausedByStranger, refusedKeys, rotations };
}

import type pg from 'pg';
import type { ClaimedDelivery, DueDelivery, TurnRow } from './delivery-sql.ts';
import { findDeliveriesInTurn, findDueDeliveries, leaseDeliveries } from './delivery-sql.ts';
import type { InFlight } from './in-flight.ts';
import { hasStoreRoom, hasUnprovenRoom, listFull, release, reserve } from './in-flight.ts';
import type { Skipped } from './skipped.ts';
import type { Turn, Turns } from './turns.ts';
import { BEGINNING } from './turns.ts';

/**
 * Claims due deliveries for free slots, oldest first. A store whose unproven receivers had to wait is read in turns
 * instead (proven ones still by age), so that its backlog hides no other store.
 */

export type Claiming = {
  readonly pool: pg.Pool;
  readonly inFlight: InFlight;
  readonly turns: Turns;
  /** Stores and webhook endpoints whose secrets could not be read. */
  readonly unsigned: Readonly<{ stores: Skipped; endpoints: Skipped }>;
  /** Due deliveries without a slot yet. */
  known: readonly DueDelivery[];
};

/** Leased deliveries with a slot, which the sender releases. */
export type Claim = { claimed: readonly ClaimedDelivery[]; more: boolean };

export const NOTHING: Claim = { claimed: [], more: false };

/** Due deliveries read together, to find those within the caps. */
const WINDOW = 512;
/** Seconds, longer than an attempt: a live worker loses a lease only when it cannot save for the rest of that time. */
const LEASE_SECONDS = 30;
const STORES_IN_TURN = 8;
const ENDPOINTS_IN_TURN = 4;
/** One to send, and one that shows that more wait. */
const PER_ENDPOINT_IN_TURN = 2;

type TurnRead = { turns: readonly Turn[]; rows: readonly TurnRow[] };

const NO_TURN: TurnRead = { turns: [], rows: [] };

const isDue = (row: TurnRow): row is DueDelivery => row.id !== null;

function findByAge({ pool, inFlight, turns, unsigned }: Claiming, now: Date): Promise<DueDelivery[]> {
  const { trust } = inFlight;
  for (const storeId of turns.waiting()) if (trust.levelOfStore(storeId) === 'proven') turns.end(storeId);
  const waiting = turns.waiting();
  const { endpoints, ...full } = listFull(inFlight);
  const excluded = {
    ...full,
    endpoints: [...endpoints, ...unsigned.endpoints.list()],
    unsigned: unsigned.stores.list(),
  };
  return findDueDeliveries(pool, now, WINDOW, { ...excluded, waiting, proven: trust.provenOf(waiting) });
}

async function findInTurn({ pool, inFlight, turns, unsigned }: Claiming, now: Date): Promise<TurnRead> {
  const hasRoom = (storeId: bigint) => hasStoreRoom(inFlight, storeId) && !unsigned.stores.has(storeId);
  const next = hasUnprovenRoom(inFlight) ? turns.next(STORES_IN_TURN, hasRoom) : [];
  if (next.length === 0) return NO_TURN;
  const rows = await findDeliveriesInTurn(pool, now, next, ENDPOINTS_IN_TURN, PER_ENDPOINT_IN_TURN);
  return { turns: next, rows };
}

/** Records where a store's next read continues; a full read that leaves nothing waiting ends its turns. */
function moveOn(turns: Turns, { turns: had, rows }: TurnRead, waiting: readonly bigint[]): void {
  const ofStores = Map.groupBy(rows, (row) => row.storeId);
  for (const { storeId, after } of had) {
    const endpoints = new Set(ofStores.get(storeId)?.map((row) => row.endpointId));
    const [last = BEGINNING] = [...endpoints].slice(ENDPOINTS_IN_TURN - 1);
    if (waiting.includes(storeId) || after !== BEGINNING) turns.reach(storeId, last);
    else turns.end(storeId);
  }
}

function canBeSigned({ unsigned }: Claiming, { endpointId, storeId, ofEndpoint }: DueDelivery): boolean {
  if (unsigned.endpoints.has(endpointId)) return false;
  return ofEndpoint || !unsigned.stores.has(storeId);
}

function releaseUntried(inFlight: InFlight, deliveries: readonly DueDelivery[]): void {
  for (const delivery of deliveries) release(inFlight, delivery, 'untried');
}

/** Reads the oldest due deliveries, and those of stores in turn; replaces the remembered list. */
async function readDue(claiming: Claiming, now: Date): Promise<TurnRead> {
  const [byAge, inTurn] = await Promise.all([findByAge(claiming, now), findInTurn(claiming, now)]);
  // A secret may have turned out to be unreadable during the read.
  const found = [...inTurn.rows.filter(isDue), ...byAge].filter((delivery) => canBeSigned(claiming, delivery));
  claiming.known = [...new Map(found.map((delivery) => [delivery.id, delivery])).values()];
  return inTurn;
}

/**
 * Reserves slots. One read serves several claims, because it takes as long as leasing. Leasing finds deliveries that
 * another worker took; those due since the read are younger and come later.
 */
async function reserveDue(claiming: Claiming, limit: number, now: Date): Promise<readonly DueDelivery[]> {
  const { inFlight, turns } = claiming;
  claiming.known = claiming.known.filter((delivery) => canBeSigned(claiming, delivery));
  let reserved = reserve(inFlight, claiming.known, limit);
  let turnRead = NO_TURN;
  if (reserved.deliveries.length < limit / 2) {
    // The next read finds the same deliveries if they are still due.
    releaseUntried(inFlight, reserved.deliveries);
    turnRead = await readDue(claiming, now);
    reserved = reserve(inFlight, claiming.known, limit);
  }
  const taken = new Set(reserved.deliveries.map((delivery) => delivery.id));
  claiming.known = claiming.known.filter((delivery) => !taken.has(delivery.id));
  turns.add(reserved.waiting);
  moveOn(turns, turnRead, reserved.waiting);
  return reserved.deliveries;
}

/** Leases deliveries with a slot; those leased by another worker first free theirs. */
async function leaseReserved(
  { pool, inFlight }: Claiming,
  reserved: readonly DueDelivery[],
  now: Date,
): Promise<readonly ClaimedDelivery[]> {
  let unleased = reserved;
  try {
    const ids = reserved.map((delivery) => delivery.id);
    const claimed = await leaseDeliveries(pool, ids, now, LEASE_SECONDS);
    const leased = new Set(claimed.map((delivery) => delivery.id));
    unleased = reserved.filter((delivery) => !leased.has(delivery.id));
    return claimed;
  } finally {
    releaseUntried(inFlight, unleased);
  }
}

export async function claimDeliveries(claiming: Claiming, limit: number, now: Date): Promise<Claim> {
  try {
    const reserved = await reserveDue(claiming, limit, now);
    if (reserved.length === 0) return NOTHING;
    // Other deliveries may be due, even if another worker leased all of these.
    return { claimed: await leaseReserved(claiming, reserved, now), more: true };
  } catch (cause) {
    claiming.known = [];
    throw cause;
  }
}

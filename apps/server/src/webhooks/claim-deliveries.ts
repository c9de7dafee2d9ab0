import type pg from 'pg';
import type { ClaimedDelivery, DueDelivery, TurnRow } from './delivery-sql.ts';
import { findDeliveriesInTurn, findDueDeliveries, leaseDeliveries } from './delivery-sql.ts';
import type { Places } from './in-flight.ts';
import type { Trust } from './trust.ts';
import type { Turn } from './turns.ts';
import { BEGINNING, createTurns } from './turns.ts';
import type { UnsignedStores } from './unsigned-stores.ts';

/**
 * Takes what is due and has a place. Everybody is looked at by age; a store that something of stays behind for want of
 * proof is looked at in turns instead, but for its receivers that answer well. So what waits there hides nobody.
 */

export type Claim = { claimed: readonly ClaimedDelivery[]; more: boolean };

export const NOTHING: Claim = { claimed: [], more: false };

export type Claimer = {
  claim(limit: number, now: Date): Promise<Claim>;
  /** What was found may be wrong: the next claim looks again. */
  forget(): void;
};

/** How many due rows are looked at to find those that the caps leave room for. */
const WINDOW = 512;
/** Longer than an attempt may take: a live worker loses one only when it cannot save for the rest of that time. */
const LEASE_SECONDS = 30;
const STORES_IN_TURN = 8;
const ENDPOINTS_IN_TURN = 4;
/** One to take, and one that tells that more waits. */
const PER_ENDPOINT_IN_TURN = 2;

type Looked = { turns: readonly Turn[]; rows: readonly TurnRow[] };

const isDue = (row: TurnRow): row is DueDelivery => row.id !== null;

export function createClaimDeliveries(pool: pg.Pool, places: Places, trust: Trust, unsigned: UnsignedStores): Claimer {
  const turns = createTurns();
  let known: readonly DueDelivery[] = [];

  function lookByAge(now: Date): Promise<DueDelivery[]> {
    for (const storeId of turns.waiting()) if (trust.standingOfStore(storeId) === 'proven') turns.end(storeId);
    const waiting = turns.waiting();
    const { stores, ...full } = places.full();
    const excluded = { ...full, stores: [...stores, ...unsigned.list()] };
    return findDueDeliveries(pool, now, WINDOW, { ...excluded, waiting, proven: trust.provenOf(waiting) });
  }

  async function lookInTurn(now: Date): Promise<Looked> {
    const hasRoom = (storeId: bigint) => places.hasStoreRoom(storeId) && !unsigned.has(storeId);
    const next = places.hasUnprovenRoom() ? turns.next(STORES_IN_TURN, hasRoom) : [];
    if (next.length === 0) return { turns: next, rows: [] };
    const rows = await findDeliveriesInTurn(pool, now, next, ENDPOINTS_IN_TURN, PER_ENDPOINT_IN_TURN);
    return { turns: next, rows };
  }

  /** Where the next look at each store goes on; its turns are over once a look from its beginning leaves nothing behind. */
  function moveOn({ turns: had, rows }: Looked, waiting: readonly bigint[]): void {
    const ofStores = Map.groupBy(rows, (row) => row.storeId);
    for (const { storeId, after } of had) {
      const endpoints = new Set(ofStores.get(storeId)?.map((row) => row.endpointId));
      const [last = BEGINNING] = [...endpoints].slice(ENDPOINTS_IN_TURN - 1);
      if (waiting.includes(storeId) || after !== BEGINNING) turns.reach(storeId, last);
      else turns.end(storeId);
    }
  }

  /**
   * One look feeds several claims: looking takes as long as leasing. What it found may be gone when its turn comes, which
   * the lease finds out; what is due since then is younger and comes after it.
   */
  async function choose(limit: number, now: Date): Promise<DueDelivery[]> {
    known = known.filter((delivery) => !unsigned.has(delivery.storeId));
    let chosen = places.choose(known, limit);
    let looked: Looked = { turns: [], rows: [] };
    if (chosen.deliveries.length < limit / 2) {
      const [byAge, inTurn] = await Promise.all([lookByAge(now), lookInTurn(now)]);
      looked = inTurn;
      const found = [...inTurn.rows.filter(isDue), ...byAge];
      known = [...new Map(found.map((delivery) => [delivery.id, delivery])).values()];
      chosen = places.choose(known, limit);
    }
    const taken = new Set(chosen.deliveries.map((delivery) => delivery.id));
    known = known.filter((delivery) => !taken.has(delivery.id));
    turns.add(chosen.waiting);
    moveOn(looked, chosen.waiting);
    return chosen.deliveries;
  }

  return {
    claim: async (limit, now) => {
      const chosen = (await choose(limit, now)).map((delivery) => delivery.id);
      if (chosen.length === 0) return NOTHING;
      // There was something to take, whether or not another worker was faster.
      return { claimed: await leaseDeliveries(pool, chosen, now, LEASE_SECONDS), more: true };
    },
    forget: () => {
      known = [];
    },
  };
}

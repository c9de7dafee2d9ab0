import type pg from 'pg';
import type { ClaimedDelivery, DueDelivery, TurnRow } from './delivery-sql.ts';
import { findDeliveriesInTurn, findDueDeliveries, leaseDeliveries } from './delivery-sql.ts';
import type { InFlight } from './in-flight.ts';
import type { Trust } from './trust.ts';
import type { Turn } from './turns.ts';
import { BEGINNING, createTurns } from './turns.ts';
import type { UnsignedStores } from './unsigned-stores.ts';

/**
 * Claims due deliveries that have a free slot in flight. Due rows are found by age. A store whose unproven receivers
 * had to wait is read in turns instead (its proven receivers are still found by age), so that its backlog hides nobody.
 */

export type Claim = { claimed: readonly ClaimedDelivery[]; more: boolean };

export const NOTHING: Claim = { claimed: [], more: false };

export type Claimer = {
  claim(limit: number, now: Date): Promise<Claim>;
  /** Drops the due rows that are remembered: the next claim reads again. */
  forget(): void;
};

/** Due rows read at once, to find those that the caps leave room for. */
const WINDOW = 512;
/**
 * Lease of a claimed delivery, longer than an attempt may take: a live worker loses one only when it cannot save for
 * the rest of that time.
 */
const LEASE_SECONDS = 30;
const STORES_IN_TURN = 8;
const ENDPOINTS_IN_TURN = 4;
/** Rows read per endpoint: one to send, and one that tells that more wait. */
const PER_ENDPOINT_IN_TURN = 2;

type TurnRead = { turns: readonly Turn[]; rows: readonly TurnRow[] };

const isDue = (row: TurnRow): row is DueDelivery => row.id !== null;

export function createClaimDeliveries(
  pool: pg.Pool,
  inFlight: InFlight,
  trust: Trust,
  unsigned: UnsignedStores,
): Claimer {
  const turns = createTurns();
  let known: readonly DueDelivery[] = [];

  function findByAge(now: Date): Promise<DueDelivery[]> {
    for (const storeId of turns.waiting()) if (trust.levelOfStore(storeId) === 'proven') turns.end(storeId);
    const waiting = turns.waiting();
    const { stores, ...full } = inFlight.full();
    const excluded = { ...full, stores: [...stores, ...unsigned.list()] };
    return findDueDeliveries(pool, now, WINDOW, { ...excluded, waiting, proven: trust.provenOf(waiting) });
  }

  async function findInTurn(now: Date): Promise<TurnRead> {
    const hasRoom = (storeId: bigint) => inFlight.hasStoreRoom(storeId) && !unsigned.has(storeId);
    const next = inFlight.hasUnprovenRoom() ? turns.next(STORES_IN_TURN, hasRoom) : [];
    if (next.length === 0) return { turns: next, rows: [] };
    const rows = await findDeliveriesInTurn(pool, now, next, ENDPOINTS_IN_TURN, PER_ENDPOINT_IN_TURN);
    return { turns: next, rows };
  }

  /** Notes where a store's next read goes on; its turns end when a read from its beginning leaves nothing waiting. */
  function moveOn({ turns: had, rows }: TurnRead, waiting: readonly bigint[]): void {
    const ofStores = Map.groupBy(rows, (row) => row.storeId);
    for (const { storeId, after } of had) {
      const endpoints = new Set(ofStores.get(storeId)?.map((row) => row.endpointId));
      const [last = BEGINNING] = [...endpoints].slice(ENDPOINTS_IN_TURN - 1);
      if (waiting.includes(storeId) || after !== BEGINNING) turns.reach(storeId, last);
      else turns.end(storeId);
    }
  }

  /**
   * Chooses deliveries to lease. One read feeds several claims, because it takes as long as leasing. Rows that were
   * taken meanwhile are found out by the lease; rows that became due since are younger and come later.
   */
  async function choose(limit: number, now: Date): Promise<DueDelivery[]> {
    known = known.filter((delivery) => !unsigned.has(delivery.storeId));
    let chosen = inFlight.choose(known, limit);
    let turnRead: TurnRead = { turns: [], rows: [] };
    if (chosen.deliveries.length < limit / 2) {
      const [byAge, inTurn] = await Promise.all([findByAge(now), findInTurn(now)]);
      turnRead = inTurn;
      const found = [...inTurn.rows.filter(isDue), ...byAge];
      known = [...new Map(found.map((delivery) => [delivery.id, delivery])).values()];
      chosen = inFlight.choose(known, limit);
    }
    const taken = new Set(chosen.deliveries.map((delivery) => delivery.id));
    known = known.filter((delivery) => !taken.has(delivery.id));
    turns.add(chosen.waiting);
    moveOn(turnRead, chosen.waiting);
    return chosen.deliveries;
  }

  return {
    claim: async (limit, now) => {
      const chosen = (await choose(limit, now)).map((delivery) => delivery.id);
      if (chosen.length === 0) return NOTHING;
      // More may be due, even if another worker leased these first.
      return { claimed: await leaseDeliveries(pool, chosen, now, LEASE_SECONDS), more: true };
    },
    forget: () => {
      known = [];
    },
  };
}

import type { DueDelivery } from './delivery-sql.ts';
import type { TrustLevel, Trust } from './trust.ts';

/** Attempts in flight: a bounded number of slots, and how many of them one endpoint, host or store may take. */

type Share = { all: number; perEndpoint: number; perHost: number; perStore: number };

export type Caps = Share & {
  /** Slots beside `all` for attempts that hang: waiting for a slow receiver does not keep others from being told. */
  hanging: number;
  /** Slots among `all` for receivers that are not proven: they may hang. */
  unproven: Omit<Share, 'all'> & {
    /** Slots for receivers that were never asked: failing ones do not crowd them out. */
    fresh: number;
    /** Slots for receivers whose last attempt failed. */
    failing: number;
  };
};

/** Endpoints, hosts and stores that can take no more slots now, whatever their trust level. */
type Full = { endpoints: readonly bigint[]; hosts: readonly string[]; stores: readonly bigint[] };

type Chosen = {
  deliveries: DueDelivery[];
  /** Stores of which a delivery had to wait because its receiver is not proven. */
  waiting: bigint[];
};

export type InFlight = {
  free(): number;
  /** Whether any receiver that is not proven could be given a slot. */
  hasUnprovenRoom(): boolean;
  /** Whether an unproven receiver of this store could. */
  hasStoreRoom(storeId: bigint): boolean;
  full(): Full;
  /** Chooses due deliveries that there are free slots for, in their order, at most `limit`. Takes no slot. */
  choose(due: readonly DueDelivery[], limit: number): Chosen;
  take(delivery: DueDelivery): void;
  /** Counts an attempt that got no answer for a while as hanging, beside the others. */
  hang(delivery: DueDelivery): void;
  release(delivery: DueDelivery): void;
};

type Counts<Name> = Map<Name, number>;

type SlotCounts = { all: number; endpoints: Counts<bigint>; hosts: Counts<string>; stores: Counts<bigint> };

/** How a slot is counted: the receiver's trust level when it was taken, and whether the attempt hangs since. */
type Counted = { as: TrustLevel; hangs: boolean };

type State = { any: SlotCounts; unproven: SlotCounts; fresh: number; failing: number; hanging: number };

function add<Name>(counts: Counts<Name>, name: Name, by: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}

function full<Name>(counts: Counts<Name>, cap: number): Name[] {
  return [...counts].filter(([, count]) => count >= cap).map(([name]) => name);
}

const noSlots = (): SlotCounts => ({ all: 0, endpoints: new Map(), hosts: new Map(), stores: new Map() });

const copy = ({ all, endpoints, hosts, stores }: SlotCounts): SlotCounts => ({
  all,
  endpoints: new Map(endpoints),
  hosts: new Map(hosts),
  stores: new Map(stores),
});

function move(taken: SlotCounts, { endpointId, host, storeId }: DueDelivery, by: 1 | -1): void {
  taken.all += by;
  add(taken.endpoints, endpointId, by);
  add(taken.hosts, host, by);
  add(taken.stores, storeId, by);
}

function moveAs(state: State, delivery: DueDelivery, { as, hangs }: Counted, by: 1 | -1): void {
  move(state.any, delivery, by);
  if (as !== 'proven') move(state.unproven, delivery, by);
  if (hangs) state.hanging += by;
  // A fresh receiver that hangs makes room for the next fresh one.
  if (as === 'fresh' && !hangs) state.fresh += by;
  if (as === 'failing') state.failing += by;
}

function freeOf(state: State, caps: Caps): number {
  return Math.max(0, caps.all - state.any.all + Math.min(state.hanging, caps.hanging));
}

type Each = Omit<Share, 'all'>;

function hasRoom(taken: SlotCounts, { perEndpoint, perHost, perStore }: Each, delivery: DueDelivery): boolean {
  return (
    (taken.endpoints.get(delivery.endpointId) ?? 0) < perEndpoint &&
    (taken.hosts.get(delivery.host) ?? 0) < perHost &&
    (taken.stores.get(delivery.storeId) ?? 0) < perStore
  );
}

function hasRoomAs(state: State, caps: Caps, delivery: DueDelivery, level: TrustLevel): boolean {
  if (freeOf(state, caps) === 0) return false;
  if (!hasRoom(state.any, caps, delivery)) return false;
  if (level === 'proven') return true;
  return (
    state.hanging < caps.hanging &&
    state[level] < caps.unproven[level] &&
    hasRoom(state.unproven, caps.unproven, delivery)
  );
}

export function createInFlight(caps: Caps, trust: Trust): InFlight {
  const state: State = { any: noSlots(), unproven: noSlots(), fresh: 0, failing: 0, hanging: 0 };
  /** How each delivery in flight is counted; the trust level of its receiver may change before it is released. */
  const counted = new Map<bigint, Counted>();

  function count(delivery: DueDelivery, counts: Counted): void {
    counted.set(delivery.id, counts);
    moveAs(state, delivery, counts, 1);
  }

  function uncount(delivery: DueDelivery): Counted {
    const counts = counted.get(delivery.id);
    if (!counts) throw new Error('A delivery that holds no place cannot leave it.');
    counted.delete(delivery.id);
    moveAs(state, delivery, counts, -1);
    return counts;
  }

  return {
    free: () => freeOf(state, caps),
    hasUnprovenRoom: () =>
      freeOf(state, caps) > 0 &&
      state.hanging < caps.hanging &&
      (state.fresh < caps.unproven.fresh || state.failing < caps.unproven.failing),
    hasStoreRoom: (storeId) => (state.unproven.stores.get(storeId) ?? 0) < caps.unproven.perStore,
    full: () => ({
      endpoints: full(state.any.endpoints, caps.perEndpoint),
      hosts: full(state.any.hosts, caps.perHost),
      stores: full(state.any.stores, caps.perStore),
    }),
    choose: (due, limit) => {
      const planned: State = { ...state, any: copy(state.any), unproven: copy(state.unproven) };
      const deliveries: DueDelivery[] = [];
      const waiting = new Set<bigint>();
      for (const delivery of due) {
        if (deliveries.length === limit) break;
        const level = trust.levelOf(delivery);
        if (hasRoomAs(planned, caps, delivery, level)) {
          moveAs(planned, delivery, { as: level, hangs: false }, 1);
          deliveries.push(delivery);
        } else if (level !== 'proven') waiting.add(delivery.storeId);
      }
      return { deliveries, waiting: [...waiting] };
    },
    take: (delivery) => count(delivery, { as: trust.levelOf(delivery), hangs: false }),
    hang: (delivery) => count(delivery, { ...uncount(delivery), hangs: true }),
    release: (delivery) => void uncount(delivery),
  };
}

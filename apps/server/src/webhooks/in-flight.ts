import type { DueDelivery } from './delivery-sql.ts';
import type { Standing, Trust } from './trust.ts';

/** Who may be sent to next: the places in flight, and how many of them one endpoint, host or store may hold. */

export type Share = { all: number; perEndpoint: number; perHost: number; perStore: number };

export type Caps = Share & {
  /** Beside all places, for attempts that hang: what only waits does not keep others from being told. */
  hanging: number;
  /** Of all places, for receivers that have not answered well: they may hang. */
  unproven: Omit<Share, 'all'> & {
    /** For those that were never asked: whoever failed does not crowd them out. */
    fresh: number;
    /** For those that failed when they were asked last. */
    troubled: number;
  };
};

/** Who can hold no more places now, whatever is known of them. */
export type Full = { endpoints: readonly bigint[]; hosts: readonly string[]; stores: readonly bigint[] };

export type Chosen = {
  deliveries: DueDelivery[];
  /** Stores that something of stayed behind for want of proof. */
  waiting: bigint[];
};

export type Places = {
  free(): number;
  /** Whether receivers that have not answered well, of anybody, could be given a place. */
  hasUnprovenRoom(): boolean;
  /** Whether those of a store could. */
  hasStoreRoom(storeId: bigint): boolean;
  full(): Full;
  /** Of these, in their order, those that there is room for, at most `limit`. */
  choose(due: readonly DueDelivery[], limit: number): Chosen;
  take(delivery: DueDelivery): void;
  /** What is in flight has waited for so long that it counts beside the others. */
  hang(delivery: DueDelivery): void;
  leave(delivery: DueDelivery): void;
};

type Counts<Name> = Map<Name, number>;

type Held = { all: number; endpoints: Counts<bigint>; hosts: Counts<string>; stores: Counts<bigint> };

/** As what a place is counted: how its receiver stood when it was taken, and whether it hangs since. */
type Counted = { as: Standing; hangs: boolean };

type State = { any: Held; unproven: Held; fresh: number; troubled: number; hanging: number };

function add<Name>(counts: Counts<Name>, name: Name, by: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}

function full<Name>(counts: Counts<Name>, cap: number): Name[] {
  return [...counts].filter(([, count]) => count >= cap).map(([name]) => name);
}

const nothing = (): Held => ({ all: 0, endpoints: new Map(), hosts: new Map(), stores: new Map() });

const copy = ({ all, endpoints, hosts, stores }: Held): Held => ({
  all,
  endpoints: new Map(endpoints),
  hosts: new Map(hosts),
  stores: new Map(stores),
});

function move(held: Held, { endpointId, host, storeId }: DueDelivery, by: 1 | -1): void {
  held.all += by;
  add(held.endpoints, endpointId, by);
  add(held.hosts, host, by);
  add(held.stores, storeId, by);
}

function moveAs(state: State, delivery: DueDelivery, { as, hangs }: Counted, by: 1 | -1): void {
  move(state.any, delivery, by);
  if (as !== 'proven') move(state.unproven, delivery, by);
  if (hangs) state.hanging += by;
  // Whoever was taken as fresh and hangs makes room for the next one that is.
  if (as === 'fresh' && !hangs) state.fresh += by;
  if (as === 'troubled') state.troubled += by;
}

function freeOf(state: State, caps: Caps): number {
  return Math.max(0, caps.all - state.any.all + Math.min(state.hanging, caps.hanging));
}

type Each = Omit<Share, 'all'>;

function hasRoom(held: Held, { perEndpoint, perHost, perStore }: Each, delivery: DueDelivery): boolean {
  return (
    (held.endpoints.get(delivery.endpointId) ?? 0) < perEndpoint &&
    (held.hosts.get(delivery.host) ?? 0) < perHost &&
    (held.stores.get(delivery.storeId) ?? 0) < perStore
  );
}

function hasRoomAs(state: State, caps: Caps, delivery: DueDelivery, standing: Standing): boolean {
  if (freeOf(state, caps) === 0) return false;
  if (!hasRoom(state.any, caps, delivery)) return false;
  if (standing === 'proven') return true;
  return (
    state.hanging < caps.hanging &&
    state[standing] < caps.unproven[standing] &&
    hasRoom(state.unproven, caps.unproven, delivery)
  );
}

export function createPlaces(caps: Caps, trust: Trust): Places {
  const state: State = { any: nothing(), unproven: nothing(), fresh: 0, troubled: 0, hanging: 0 };
  /** How each delivery in flight is counted; what is known of its receiver may change before it leaves. */
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
      (state.fresh < caps.unproven.fresh || state.troubled < caps.unproven.troubled),
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
        const standing = trust.standingOf(delivery);
        if (hasRoomAs(planned, caps, delivery, standing)) {
          moveAs(planned, delivery, { as: standing, hangs: false }, 1);
          deliveries.push(delivery);
        } else if (standing !== 'proven') waiting.add(delivery.storeId);
      }
      return { deliveries, waiting: [...waiting] };
    },
    take: (delivery) => count(delivery, { as: trust.standingOf(delivery), hangs: false }),
    hang: (delivery) => count(delivery, { ...uncount(delivery), hangs: true }),
    leave: (delivery) => void uncount(delivery),
  };
}

import type { DueDelivery } from './delivery-sql.ts';
import type { TrustLevel, Trust } from './trust.ts';

/** Attempts in flight: a bounded number of slots, and how many of them one endpoint, host or store may take. */

type Share = { all: number; perEndpoint: number; perHost: number; perStore: number };

export type Caps = Share & {
  /** Slots besides `all` for attempts that hang, so that waiting for a slow receiver does not delay other receivers. */
  hanging: number;
  /** Slots among `all` for receivers that are not proven, because such receivers may hang. */
  unproven: Omit<Share, 'all'> & {
    /** Slots for receivers that were never asked, so that failing receivers do not crowd them out. */
    fresh: number;
    /** Slots for receivers whose last attempt failed. */
    failing: number;
  };
};

/** Endpoints, hosts and stores that can take no more slots now, whatever their trust level. */
type Full = { endpoints: readonly bigint[]; hosts: readonly string[]; stores: readonly bigint[] };

type Counts<Name> = Map<Name, number>;

type SlotCounts = { all: number; endpoints: Counts<bigint>; hosts: Counts<string>; stores: Counts<bigint> };

/**
 * A slot that a delivery holds: the receiver's trust level when the slot was reserved, and whether the attempt has hung
 * since.
 */
type Slot = { delivery: DueDelivery; level: TrustLevel; hangs: boolean };

/** Slots and their counts. Only `hold` and `vacate` write them. */
export type InFlight = {
  readonly caps: Caps;
  readonly trust: Trust;
  /** Slots by the delivery that holds them. */
  readonly slots: Map<bigint, Slot>;
  /** Counts of all slots, and of slots that unproven receivers hold. */
  readonly any: SlotCounts;
  readonly unproven: SlotCounts;
  fresh: number;
  failing: number;
  hanging: number;
};

type Reserved = {
  deliveries: readonly DueDelivery[];
  /** Stores with a delivery that had to wait because its receiver is not proven. */
  waiting: readonly bigint[];
};

/**
 * How a delivery left its slot. `untried` says nothing about the receiver: the delivery was not leased, or could not be
 * sent.
 */
export type Outcome = 'delivered' | 'failed' | 'untried';

function add<Name>(counts: Counts<Name>, name: Name, by: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}

function full<Name>(counts: Counts<Name>, cap: number): Name[] {
  return [...counts].filter(([, count]) => count >= cap).map(([name]) => name);
}

const noSlots = (): SlotCounts => ({ all: 0, endpoints: new Map(), hosts: new Map(), stores: new Map() });

function move(taken: SlotCounts, { endpointId, host, storeId }: DueDelivery, by: 1 | -1): void {
  taken.all += by;
  add(taken.endpoints, endpointId, by);
  add(taken.hosts, host, by);
  add(taken.stores, storeId, by);
}

function countSlot(inFlight: InFlight, { delivery, level, hangs }: Slot, by: 1 | -1): void {
  move(inFlight.any, delivery, by);
  if (level !== 'proven') move(inFlight.unproven, delivery, by);
  if (hangs) inFlight.hanging += by;
  // A fresh receiver that hangs no longer counts as fresh, so that the next fresh receiver has room.
  if (level === 'fresh' && !hangs) inFlight.fresh += by;
  if (level === 'failing') inFlight.failing += by;
}

function hold(inFlight: InFlight, slot: Slot): void {
  inFlight.slots.set(slot.delivery.id, slot);
  countSlot(inFlight, slot, 1);
}

function vacate(inFlight: InFlight, { id }: DueDelivery): Slot {
  const slot = inFlight.slots.get(id);
  if (!slot) throw new Error('A delivery that holds no slot cannot leave it.');
  inFlight.slots.delete(id);
  countSlot(inFlight, slot, -1);
  return slot;
}

function hasRoom(taken: SlotCounts, { perEndpoint, perHost, perStore }: Omit<Share, 'all'>, due: DueDelivery): boolean {
  return (
    (taken.endpoints.get(due.endpointId) ?? 0) < perEndpoint &&
    (taken.hosts.get(due.host) ?? 0) < perHost &&
    (taken.stores.get(due.storeId) ?? 0) < perStore
  );
}

function hasRoomAs(inFlight: InFlight, delivery: DueDelivery, level: TrustLevel): boolean {
  const { caps, any, unproven, hanging } = inFlight;
  if (freeSlots(inFlight) === 0) return false;
  if (!hasRoom(any, caps, delivery)) return false;
  if (level === 'proven') return true;
  return hanging < caps.hanging && inFlight[level] < caps.unproven[level] && hasRoom(unproven, caps.unproven, delivery);
}

export function createInFlight(caps: Caps, trust: Trust): InFlight {
  return { caps, trust, slots: new Map(), any: noSlots(), unproven: noSlots(), fresh: 0, failing: 0, hanging: 0 };
}

export function freeSlots({ caps, any, hanging }: InFlight): number {
  return Math.max(0, caps.all - any.all + Math.min(hanging, caps.hanging));
}

/** Whether any receiver that is not proven could be given a slot. */
export function hasUnprovenRoom(inFlight: InFlight): boolean {
  const { caps, fresh, failing, hanging } = inFlight;
  return (
    freeSlots(inFlight) > 0 &&
    hanging < caps.hanging &&
    (fresh < caps.unproven.fresh || failing < caps.unproven.failing)
  );
}

/** Whether an unproven receiver of this store could be given a slot, as far as the store's own share goes. */
export function hasStoreRoom({ caps, unproven }: InFlight, storeId: bigint): boolean {
  return (unproven.stores.get(storeId) ?? 0) < caps.unproven.perStore;
}

export function listFull({ caps, any }: InFlight): Full {
  return {
    endpoints: full(any.endpoints, caps.perEndpoint),
    hosts: full(any.hosts, caps.perHost),
    stores: full(any.stores, caps.perStore),
  };
}

/** Gives free slots to due deliveries in their order, at most `limit`. The caller must release each slot once. */
export function reserve(inFlight: InFlight, due: readonly DueDelivery[], limit: number): Reserved {
  const deliveries: DueDelivery[] = [];
  const waiting = new Set<bigint>();
  for (const delivery of due) {
    if (deliveries.length === limit) break;
    // A delivery that still holds a slot is skipped: its attempt has outlived its lease, so the delivery is due again
    // too early.
    if (inFlight.slots.has(delivery.id)) continue;
    const level = inFlight.trust.levelOf(delivery);
    if (hasRoomAs(inFlight, delivery, level)) {
      hold(inFlight, { delivery, level, hangs: false });
      deliveries.push(delivery);
    } else if (level !== 'proven') waiting.add(delivery.storeId);
  }
  return { deliveries, waiting: [...waiting] };
}

/**
 * Marks an attempt that got no answer for a while as hanging: its slot then counts as one of the slots for hanging
 * attempts, which exist besides `all`, so that another attempt can begin.
 */
export function markHanging(inFlight: InFlight, delivery: DueDelivery): void {
  hold(inFlight, { ...vacate(inFlight, delivery), hangs: true });
}

/** Frees the slot of a delivery, and records what the outcome says about its receiver. */
export function release(inFlight: InFlight, delivery: DueDelivery, outcome: Outcome): void {
  vacate(inFlight, delivery);
  if (outcome !== 'untried') inFlight.trust.recordOutcome(delivery, outcome === 'delivered');
}

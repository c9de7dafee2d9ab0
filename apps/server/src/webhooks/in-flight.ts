import type { DueDelivery } from './delivery-sql.ts';
import type { TrustLevel, Trust } from './trust.ts';

/** A bounded number of slots, with shares per endpoint, host and store. */

type Share = { all: number; perEndpoint: number; perHost: number; perStore: number };

export type Caps = Share & {
  /** Slots besides `all` for hanging attempts, so that slow receivers do not delay others. */
  hanging: number;
  unproven: Omit<Share, 'all'> & {
    /** For receivers that were never asked, so that failing ones do not crowd them out. */
    fresh: number;
    /** For receivers whose last attempt failed. */
    failing: number;
  };
};

/** Endpoints, hosts and stores without room, at any trust level. */
type Full = { endpoints: readonly bigint[]; hosts: readonly string[]; stores: readonly bigint[] };

type Counts<Name> = Map<Name, number>;

type SlotCounts = { all: number; endpoints: Counts<bigint>; hosts: Counts<string>; stores: Counts<bigint> };

/** A delivery's slot: the receiver's trust level at reservation, and whether the attempt hangs. */
type Slot = { delivery: DueDelivery; level: TrustLevel; hangs: boolean };

/** Only `hold` and `vacate` write these. */
export type InFlight = {
  readonly caps: Caps;
  readonly trust: Trust;
  readonly slots: Map<bigint, Slot>;
  readonly any: SlotCounts;
  readonly unproven: SlotCounts;
  fresh: number;
  failing: number;
  hanging: number;
};

type Reserved = {
  deliveries: readonly DueDelivery[];
  /** Stores with a delivery that waits because its receiver is not proven. */
  waiting: readonly bigint[];
};

/** `untried` says nothing about the receiver: not leased, or could not be sent. */
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
  // A hanging fresh receiver no longer counts as fresh, so that the next one has room.
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

/** Whether any unproven receiver could get a slot. */
export function hasUnprovenRoom(inFlight: InFlight): boolean {
  const { caps, fresh, failing, hanging } = inFlight;
  return (
    freeSlots(inFlight) > 0 &&
    hanging < caps.hanging &&
    (fresh < caps.unproven.fresh || failing < caps.unproven.failing)
  );
}

/** Whether this store's share has room for an unproven receiver. */
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

/** Gives slots to due deliveries in order, at most `limit`. The caller must release each once. */
export function reserve(inFlight: InFlight, due: readonly DueDelivery[], limit: number): Reserved {
  const deliveries: DueDelivery[] = [];
  const waiting = new Set<bigint>();
  for (const delivery of due) {
    if (deliveries.length === limit) break;
    // Its attempt has outlived its lease, so it is due too early.
    if (inFlight.slots.has(delivery.id)) continue;
    const level = inFlight.trust.levelOf(delivery);
    if (hasRoomAs(inFlight, delivery, level)) {
      hold(inFlight, { delivery, level, hangs: false });
      deliveries.push(delivery);
    } else if (level !== 'proven') waiting.add(delivery.storeId);
  }
  return { deliveries, waiting: [...waiting] };
}

/** Marks an attempt as hanging: its slot moves to those besides `all`, so that another attempt can begin. */
export function markHanging(inFlight: InFlight, delivery: DueDelivery): void {
  hold(inFlight, { ...vacate(inFlight, delivery), hangs: true });
}

/** Frees a slot, and records what the outcome shows about the receiver. */
export function release(inFlight: InFlight, delivery: DueDelivery, outcome: Outcome): void {
  vacate(inFlight, delivery);
  if (outcome !== 'untried') inFlight.trust.recordOutcome(delivery, outcome === 'delivered');
}

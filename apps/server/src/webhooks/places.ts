import type { DueDelivery, Excluded } from './delivery-store.ts';

/** Who may be sent to next: the places in flight, and how many of them one endpoint, host or store may hold. */

export type Caps = {
  all: number;
  perEndpoint: number;
  perHost: number;
  perStore: number;
  /** Of all, for endpoints whose latest attempt failed: those that hang hold a place for long. */
  troubled: number;
};

export type Places = {
  free(): number;
  excluded(): Excluded;
  /** Of these, in their order, those that there is room for, at most `limit`. */
  choose(due: readonly DueDelivery[], limit: number): DueDelivery[];
  take(delivery: DueDelivery): void;
  leave(delivery: DueDelivery): void;
  /** Whether an attempt at this endpoint succeeded. */
  note(endpointId: bigint, succeeded: boolean): void;
};

/** Forgotten beyond that: it is about fairness only. */
const MAX_TROUBLED_KNOWN = 10_000;

type Counts<Name> = Map<Name, number>;

function add<Name>(counts: Counts<Name>, name: Name, by: 1 | -1): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
}

function full<Name>(counts: Counts<Name>, cap: number): Name[] {
  return [...counts].filter(([, count]) => count >= cap).map(([name]) => name);
}

type Held = { all: number; endpoints: Counts<bigint>; hosts: Counts<string>; stores: Counts<bigint>; troubled: number };

export function createPlaces(caps: Caps): Places {
  const held: Held = { all: 0, endpoints: new Map(), hosts: new Map(), stores: new Map(), troubled: 0 };
  const troubled = new Set<bigint>();
  /** Taken by an endpoint that was in trouble then; it may be well when it leaves. */
  const takenInTrouble = new Set<bigint>();

  function move(into: Held, delivery: DueDelivery, by: 1 | -1): void {
    into.all += by;
    add(into.endpoints, delivery.endpointId, by);
    add(into.hosts, delivery.host, by);
    add(into.stores, delivery.storeId, by);
  }

  function hasRoom(now: Held, { endpointId, host, storeId }: DueDelivery): boolean {
    if (troubled.has(endpointId) && now.troubled >= caps.troubled) return false;
    return (
      now.all < caps.all &&
      (now.endpoints.get(endpointId) ?? 0) < caps.perEndpoint &&
      (now.hosts.get(host) ?? 0) < caps.perHost &&
      (now.stores.get(storeId) ?? 0) < caps.perStore
    );
  }

  return {
    free: () => caps.all - held.all,
    excluded: () => ({
      endpoints: [...full(held.endpoints, caps.perEndpoint), ...(held.troubled >= caps.troubled ? troubled : [])],
      hosts: full(held.hosts, caps.perHost),
      stores: full(held.stores, caps.perStore),
    }),
    choose: (due, limit) => {
      const planned: Held = {
        ...held,
        endpoints: new Map(held.endpoints),
        hosts: new Map(held.hosts),
        stores: new Map(held.stores),
      };
      const chosen: DueDelivery[] = [];
      for (const delivery of due) {
        if (chosen.length === limit) break;
        if (!hasRoom(planned, delivery)) continue;
        move(planned, delivery, 1);
        if (troubled.has(delivery.endpointId)) planned.troubled += 1;
        chosen.push(delivery);
      }
      return chosen;
    },
    take: (delivery) => {
      move(held, delivery, 1);
      if (!troubled.has(delivery.endpointId)) return;
      takenInTrouble.add(delivery.id);
      held.troubled += 1;
    },
    leave: (delivery) => {
      move(held, delivery, -1);
      if (takenInTrouble.delete(delivery.id)) held.troubled -= 1;
    },
    note: (endpointId, succeeded) => {
      if (troubled.size >= MAX_TROUBLED_KNOWN) troubled.clear();
      if (succeeded) troubled.delete(endpointId);
      else troubled.add(endpointId);
    },
  };
}

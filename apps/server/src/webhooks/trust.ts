import { setBounded } from '../lib/bounded-map.ts';

/** Trust in receivers by their answers: which may use all slots, and which share a part. */

type Receiver = { endpointId: bigint; storeId: bigint; host: string };

/** `proven`: the last answer was good. `fresh`: never asked. `failing`: the last attempt failed. */
export type TrustLevel = 'proven' | 'fresh' | 'failing';

/** Proven receivers. A delivery is proven by its endpoint, or by its host if its endpoint did not fail. */
export type Proven = {
  endpoints: readonly bigint[];
  hosts: readonly { storeId: bigint; host: string }[];
  failing: readonly bigint[];
};

export type Trust = {
  /** The trust level of a new host of a store. */
  levelOfStore(storeId: bigint): TrustLevel;
  levelOf(receiver: Receiver): TrustLevel;
  /** Records an attempt's outcome at a receiver. */
  recordOutcome(receiver: Receiver, well: boolean): void;
  provenOf(storeIds: Iterable<bigint>): Proven;
};

/** The least recently asked is dropped first, and counts as fresh again. */
const MAX_STORES_KNOWN = 10_000;
const MAX_HOSTS_KNOWN = 64;
const MAX_ENDPOINTS_KNOWN = 64;

type Known = { hosts: Map<string, boolean>; endpoints: Map<bigint, boolean> };

const namesOf = <Name>(known: ReadonlyMap<Name, boolean>, well: boolean): Name[] =>
  [...known].filter(([, was]) => was === well).map(([name]) => name);

export function createTrust(): Trust {
  const stores = new Map<bigint, Known>();

  /** By the last answers of the store's hosts. With a failing one a new host, which costs nothing, gets no trust. */
  const levelOfStore = (storeId: bigint): TrustLevel => {
    const hosts = stores.get(storeId)?.hosts;
    if (!hosts) return 'fresh';
    for (const well of hosts.values()) if (!well) return 'failing';
    return 'proven';
  };

  return {
    levelOfStore,
    levelOf: ({ endpointId, storeId, host }) => {
      const store = stores.get(storeId);
      // A new URL is judged by its host, and a new host by its store: a shop may use a URL per order.
      const well = store?.endpoints.get(endpointId) ?? store?.hosts.get(host);
      if (well === undefined) return levelOfStore(storeId);
      return well ? 'proven' : 'failing';
    },
    recordOutcome: ({ endpointId, storeId, host }, well) => {
      const store = stores.get(storeId) ?? { hosts: new Map(), endpoints: new Map() };
      setBounded(store.hosts, host, well, MAX_HOSTS_KNOWN);
      setBounded(store.endpoints, endpointId, well, MAX_ENDPOINTS_KNOWN);
      setBounded(stores, storeId, store, MAX_STORES_KNOWN);
    },
    provenOf: (storeIds) => {
      const known = [...storeIds].flatMap((storeId) => {
        const store = stores.get(storeId);
        return store ? [{ storeId, ...store }] : [];
      });
      return {
        endpoints: known.flatMap((store) => namesOf(store.endpoints, true)),
        hosts: known.flatMap(({ storeId, hosts }) => namesOf(hosts, true).map((host) => ({ storeId, host }))),
        failing: known.flatMap((store) => namesOf(store.endpoints, false)),
      };
    },
  };
}

import { setBounded } from '../lib/bounded-map.ts';

/** What is known of receivers by how they answered: which of them may use all places, and which share a part of them. */

/** Where a delivery goes. */
export type Receiver = { endpointId: bigint; storeId: bigint; host: string };

/** Answered well, never asked, or failed when it was asked last. */
export type Standing = 'proven' | 'fresh' | 'troubled';

/** What of the stores asked about is proven. A row is when its endpoint is, or when its host is and its endpoint did not fail. */
export type Proven = {
  endpoints: readonly bigint[];
  hosts: readonly { storeId: bigint; host: string }[];
  failing: readonly bigint[];
};

export type Trust = {
  /** Of what is new of a store. */
  standingOfStore(storeId: bigint): Standing;
  standingOf(receiver: Receiver): Standing;
  /** An attempt ended. */
  judge(receiver: Receiver, well: boolean): void;
  provenOf(storeIds: Iterable<bigint>): Proven;
};

/** What is longest unheard of is forgotten beyond these, and is as if it had never been asked. */
const MAX_STORES_KNOWN = 10_000;
const MAX_HOSTS_KNOWN = 64;
const MAX_ENDPOINTS_KNOWN = 64;

type Known = { hosts: Map<string, boolean>; endpoints: Map<bigint, boolean> };

const namesOf = <Name>(known: ReadonlyMap<Name, boolean>, well: boolean): Name[] =>
  [...known].filter(([, was]) => was === well).map(([name]) => name);

export function createTrust(): Trust {
  const stores = new Map<bigint, Known>();

  /** As all of its hosts answered last; a store with one that fails gets no credit for a new one: names cost nothing. */
  const standingOfStore = (storeId: bigint): Standing => {
    const hosts = stores.get(storeId)?.hosts;
    if (!hosts) return 'fresh';
    for (const well of hosts.values()) if (!well) return 'troubled';
    return 'proven';
  };

  return {
    standingOfStore,
    standingOf: ({ endpointId, storeId, host }) => {
      const store = stores.get(storeId);
      // A shop may use an address for each order, so an address that is new is judged by its host, and that by its store.
      const well = store?.endpoints.get(endpointId) ?? store?.hosts.get(host);
      if (well === undefined) return standingOfStore(storeId);
      return well ? 'proven' : 'troubled';
    },
    judge: ({ endpointId, storeId, host }, well) => {
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

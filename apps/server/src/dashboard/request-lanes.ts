import { clientBucket, clientNetworks, clientSurroundings } from '../lib/client-address.ts';
import type { FairQueue } from '../lib/fair-queue.ts';
import { createFairQueue } from '../lib/fair-queue.ts';
import type { Lanes, Release } from '../lib/lanes.ts';
import { createLanes } from '../lib/lanes.ts';
import { DashboardError } from './dashboard-error.ts';

/** Concurrent requests per user and IP address. */

/** One user, or one address without a user. A page of the app reads about eight resources in parallel. */
const ONE = { atOnce: 4, waiting: 32 };
/** All signed-in users of one address, such as an office. */
const OFFICE = { atOnce: 16, waiting: 64 };
/** All visitors, in turn by network: more would delay signed-in users, who wait for the same connections. */
const VISITORS = { atOnce: 32, waiting: 256 };
/** Requests with one link, whose owner may click twice. */
const ONE_LINK = { atOnce: 1, waiting: 4 };
/** Lookups of links. Waiting is unbounded: a refusal could hit a valid link, and a lookup is short. */
const LINK_LOOKUPS = { atOnce: 4, waiting: Infinity };
/** Session lookups of a wider IPv6 network: twice an address's, so that none takes all places. */
const WIDE = { atOnce: 32, waiting: 128 };
const RETRY_SECONDS = 1;

/** `wait`: waits seconds for a worker. `download`: lasts as long as its receiver reads. */
export type RequestKind = 'short' | 'wait' | 'download';

export type RequestLanes = {
  visitors: Lanes;
  allVisitors: FairQueue;
  /** Requests with an existing link, by its hash. Other requests of their address do not affect them. */
  links: Lanes;
  linkLookups: FairQueue;
  /** Session lookups by token: one user's flood cannot use up the lookups of others at the same IP address. */
  tokens: Lanes;
  /** Session lookups by address: tokens are unknown before. */
  lookups: Lanes;
  wideLookups: Lanes;
  people: Record<RequestKind, Lanes>;
  offices: Record<RequestKind, Lanes>;
};

type Size = Parameters<typeof createLanes>[0];

const createForKinds = (size: Size): Record<RequestKind, Lanes> => ({
  short: createLanes(size),
  wait: createLanes(size),
  // A download takes minutes: another one is refused instead of waiting.
  download: createLanes({ ...size, waiting: 0 }),
});

export function createRequestLanes(): RequestLanes {
  return {
    visitors: createLanes(ONE),
    allVisitors: createFairQueue(VISITORS),
    links: createLanes(ONE_LINK),
    linkLookups: createFairQueue(LINK_LOOKUPS),
    tokens: createLanes(ONE),
    lookups: createLanes(OFFICE),
    wideLookups: createLanes(WIDE),
    people: createForKinds(ONE),
    offices: createForKinds(OFFICE),
  };
}

type Entry = () => Promise<Release | undefined>;

async function enter(entry: Entry): Promise<Release> {
  const release = await entry();
  if (!release) throw new DashboardError('TOO_MANY_REQUESTS', { details: { retry_after_seconds: RETRY_SECONDS } });
  return release;
}

/** Enters lanes in order; returns the function that leaves all of them. */
async function enterAll(...entries: readonly Entry[]): Promise<Release> {
  const releases: Release[] = [];
  const releaseAll = () => {
    for (const release of releases) release();
  };
  try {
    for (const entry of entries) releases.push(await enter(entry));
  } catch (cause) {
    releaseAll();
    throw cause;
  }
  return releaseAll;
}

export const enterAsVisitor = (lanes: RequestLanes, ip: string) =>
  enterAll(
    () => lanes.visitors.enter(clientBucket(ip)),
    () => lanes.allVisitors.enter(clientSurroundings(ip)),
  );

/** Admits a request by its link if that exists, otherwise as a visitor's. */
export async function enterByLink(
  lanes: RequestLanes,
  { hash, ip }: { hash: Buffer; ip: string },
  isLink: () => Promise<boolean>,
): Promise<Release> {
  const release = await enter(() => lanes.linkLookups.enter(clientSurroundings(ip)));
  const exists = await isLink().finally(release);
  return exists ? enter(() => lanes.links.enter(hash.toString('base64url'))) : enterAsVisitor(lanes, ip);
}

/** Looks up a session in the lanes of its token and address. */
export async function lookUpInLane<Found>(
  lanes: RequestLanes,
  { token, ip }: { token: string; ip: string },
  lookUp: () => Promise<Found>,
): Promise<Found> {
  const [, ...wider] = clientNetworks(ip);
  const release = await enterAll(
    () => lanes.tokens.enter(token),
    () => lanes.lookups.enter(clientBucket(ip)),
    ...wider.map(
      ({ name }) =>
        () =>
          lanes.wideLookups.enter(name),
    ),
  );
  try {
    return await lookUp();
  } finally {
    release();
  }
}

/** Admits a user's request, their lane first so that waiting takes no place of others; returns whether it waited. */
export async function enterAsPerson(
  lanes: RequestLanes,
  { personId, ip, kind }: { personId: bigint; ip: string; kind: RequestKind },
): Promise<{ release: Release; hasWaited: boolean }> {
  let hasWaited = false;
  const inLane = (of: Lanes, key: string) => () => {
    hasWaited ||= of.isBusy(key);
    return of.enter(key);
  };
  const release = await enterAll(
    inLane(lanes.people[kind], String(personId)),
    inLane(lanes.offices[kind], clientBucket(ip)),
  );
  return { release, hasWaited };
}

import { clientBucket } from '../lib/client-address.ts';
import type { Lanes } from '../lib/lanes.ts';
import { createLanes } from '../lib/lanes.ts';
import { DashboardError } from './dashboard-error.ts';

/** How many requests of one user and of one IP address the dashboard's server handles at once. */

/** One user, or one address whose requests name no user. A page of the app reads about eight things at once. */
const ONE = { atOnce: 4, waiting: 32 };
/** All signed-in users behind one address: an office. */
const OFFICE = { atOnce: 16, waiting: 64 };
const RETRY_SECONDS = 1;

/** `wait` is a request that waits some seconds for a worker, `download` one that lasts as long as its receiver reads. */
export type RequestKind = 'short' | 'wait' | 'download';

export type RequestLanes = {
  /** Requests without a session, by address. */
  visitors: Lanes;
  /** Session lookups by token: one user's flood cannot use up the lookups of everyone at the same IP address. */
  tokens: Lanes;
  /** Sessions that are being looked up, by address: nothing is known of a token before. */
  lookups: Lanes;
  people: Record<RequestKind, Lanes>;
  offices: Record<RequestKind, Lanes>;
};

type Size = Parameters<typeof createLanes>[0];

const createForKinds = (size: Size): Record<RequestKind, Lanes> => ({
  short: createLanes(size),
  wait: createLanes(size),
  // A download frees its place after minutes: another one is refused rather than left waiting.
  download: createLanes({ ...size, waiting: 0 }),
});

export function createRequestLanes(): RequestLanes {
  return {
    visitors: createLanes(ONE),
    tokens: createLanes(ONE),
    lookups: createLanes(OFFICE),
    people: createForKinds(ONE),
    offices: createForKinds(OFFICE),
  };
}

async function enter(lanes: Lanes, key: string): Promise<() => void> {
  const release = await lanes.enter(key);
  if (!release) throw new DashboardError('TOO_MANY_REQUESTS', { details: { retry_after_seconds: RETRY_SECONDS } });
  return release;
}

/** Enters several lanes in order; returns the function that leaves all of them. */
async function enterAll(steps: readonly (readonly [lanes: Lanes, key: string])[]): Promise<() => void> {
  const releases: (() => void)[] = [];
  const releaseAll = () => {
    for (const release of releases) release();
  };
  try {
    for (const [lanes, key] of steps) releases.push(await enter(lanes, key));
  } catch (cause) {
    releaseAll();
    throw cause;
  }
  return releaseAll;
}

/** Admits a request that names no user. */
export const enterAsVisitor = (lanes: RequestLanes, ip: string) => enter(lanes.visitors, clientBucket(ip));

/** Looks up the session of a request, in the lanes of its token and of its address. */
export async function lookUpInLane<Found>(
  lanes: RequestLanes,
  { token, ip }: { token: string; ip: string },
  lookUp: () => Promise<Found>,
): Promise<Found> {
  const release = await enterAll([
    [lanes.tokens, token],
    [lanes.lookups, clientBucket(ip)],
  ]);
  try {
    return await lookUp();
  } finally {
    release();
  }
}

/** Admits a request of a user. The user's lane comes first, so that a user's waiting requests take no place of others. */
export function enterAsPerson(
  lanes: RequestLanes,
  { personId, ip, kind }: { personId: bigint; ip: string; kind: RequestKind },
): Promise<() => void> {
  return enterAll([
    [lanes.people[kind], String(personId)],
    [lanes.offices[kind], clientBucket(ip)],
  ]);
}

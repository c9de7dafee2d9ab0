import type pg from 'pg';
import type { Logger } from 'pino';
import { createBatcher } from '../lib/batch.ts';
import type { InsistOptions } from '../lib/insist.ts';
import { insist } from '../lib/insist.ts';
import { rest } from '../lib/loop.ts';
import type { Watched } from '../lib/watchdog.ts';
import { UNWATCHED } from '../lib/watchdog.ts';
import type { EndedAttempt } from './attempt-store.ts';
import { saveAttempts } from './attempt-store.ts';
import type { ClaimedDelivery, DueDelivery } from './delivery-store.ts';
import { findDueDeliveries, leaseDeliveries } from './delivery-store.ts';
import type { Caps, Places } from './places.ts';
import { createPlaces } from './places.ts';
import type { SendContext } from './send-delivery.ts';
import { sendDelivery } from './send-delivery.ts';

/**
 * Sends what is due, as fast as the caps allow. One endpoint that hangs holds its own few places and nobody else's;
 * attempts are saved together; a worker that dies leaves leases that run out in seconds.
 */

export type DispatchContext = SendContext & {
  pool: pg.Pool;
  log: Logger;
  signal: AbortSignal;
  failpoint: (name: string) => void | Promise<void>;
  /** Ends the process when a claim, an attempt or a save shows no life. */
  watched?: Watched;
};

const CAPS: Caps = { all: 128, perEndpoint: 4, perHost: 16, perStore: 32, troubled: 64 };
const MAX_CLAIMED = 64;
/** How many due rows are looked at to find those that the caps leave room for. */
const WINDOW = 512;
const POLL_MS = 50;
/** Longer than an attempt may take: a live worker loses one only when it cannot save for the rest of that time. */
const LEASE_SECONDS = 30;
const MAX_SAVED = 256;
/** In flight or answered, and not saved yet. */
const MAX_UNSAVED = 512;
const MAX_SAVE_TRIES = 20;
/** An attempt that has not begun must leave its lease the time to be made. */
const MAX_SECRET_TRIES = 10;
const RETRY_MS = 500;
const PULLED_PER_SECOND = 20;
const MAX_PULLED = 1_000;
/** As many as the schedule has: one delivery is never tried more than twice as often. */
const MAX_UNSCHEDULED = 12;

/** The database may be away for a moment: what was claimed is sent all the same, and what was sent is saved. */
function insistent(log: Logger, what: string, tries: number): InsistOptions {
  return { tries, restMs: RETRY_MS, onFailure: (cause, tried) => log.warn({ err: cause, tried }, what) };
}

async function save(context: DispatchContext, ended: readonly EndedAttempt[]): Promise<void> {
  const { pool, clock, log } = context;
  const pull = { perSecond: PULLED_PER_SECOND, limit: MAX_PULLED, maxUnscheduled: MAX_UNSCHEDULED };
  const back = await insist(
    () => saveAttempts(pool, ended, { ...pull, now: new Date(clock.nowMs()) }),
    insistent(log, 'attempts could not be saved yet', MAX_SAVE_TRIES),
  );
  for (const { endpointId, pulled } of back)
    log.info({ endpointId: String(endpointId), pulled }, 'endpoint is back, retries pulled forward');
}

/** Why a rest ends early. Without a reason each end would build an error with its stack. */
const ROOM = 'there is room';

type Claim = { claimed: readonly ClaimedDelivery[]; more: boolean };

const NOTHING: Claim = { claimed: [], more: false };

/**
 * One look at what is due feeds several claims: looking takes as long as leasing. What it found may be gone when its turn
 * comes, which the lease finds out; what is due since then is younger and comes after it.
 */
function createClaimer(context: DispatchContext, places: Places): (room: number) => Promise<Claim> {
  const { pool, clock, log, signal } = context;
  let known: readonly DueDelivery[] = [];

  async function choose(limit: number, now: Date): Promise<DueDelivery[]> {
    let chosen = places.choose(known, limit);
    if (chosen.length < limit / 2) {
      known = await findDueDeliveries(pool, now, WINDOW, places.excluded());
      chosen = places.choose(known, limit);
    }
    const taken = new Set(chosen);
    known = known.filter((delivery) => !taken.has(delivery));
    return chosen;
  }

  /** `more` when there was something to take, whether or not another worker was faster. */
  return async (room) => {
    const limit = Math.min(MAX_CLAIMED, places.free(), room);
    if (limit <= 0) return NOTHING;
    try {
      const now = new Date(clock.nowMs());
      const chosen = (await choose(limit, now)).map((delivery) => delivery.id);
      if (chosen.length === 0) return NOTHING;
      return { claimed: await leaseDeliveries(pool, chosen, now, LEASE_SECONDS), more: true };
    } catch (cause) {
      known = [];
      log.error({ err: cause }, 'deliveries could not be claimed');
      await rest(POLL_MS * 10, signal);
      return NOTHING;
    }
  };
}

export async function dispatchDeliveries(context: DispatchContext): Promise<void> {
  const { log, signal, failpoint, watched = UNWATCHED } = context;
  const places = createPlaces(CAPS);
  const claim = createClaimer(context, places);
  const handling = new Set<Promise<void>>();
  let wake = new AbortController();
  signal.addEventListener('abort', () => wake.abort(ROOM), { once: true });
  const saveSoon = createBatcher<EndedAttempt, undefined>({
    maxAsks: MAX_SAVED,
    maxRunning: 2,
    run: async (ended) => {
      await failpoint('delivery:before-save');
      await watched.beside('save', () => save(context, ended));
      await failpoint('delivery:after-save');
      return ended.map(() => undefined);
    },
  });

  const insistentContext: SendContext = {
    ...context,
    secretsOf: (storeId) =>
      insist(() => context.secretsOf(storeId), insistent(log, 'secrets could not be read yet', MAX_SECRET_TRIES)),
  };

  /** The place is free as soon as the answer is there: nobody's receiver waits for our database. */
  const sendInPlace = async (delivery: ClaimedDelivery) => {
    places.take(delivery);
    try {
      const ended = await watched.beside('attempt', () => sendDelivery(insistentContext, delivery));
      await failpoint('delivery:sent');
      places.note(delivery.endpointId, ended.state === 'delivered');
      return ended;
    } finally {
      places.leave(delivery);
      wake.abort(ROOM);
    }
  };

  const handle = async (delivery: ClaimedDelivery) => {
    try {
      await saveSoon(await sendInPlace(delivery));
    } catch (cause) {
      // The lease runs out and the delivery is due again.
      log.error({ err: cause, deliveryId: String(delivery.id) }, 'delivery could not be handled');
    }
  };

  while (!signal.aborted) {
    // Before looking: what ends meanwhile makes room that the look did not know of.
    wake = new AbortController();
    const { claimed, more } = await watched.turn(() => claim(MAX_UNSAVED - handling.size));
    if (claimed.length > 0) await failpoint('delivery:claimed');
    for (const delivery of claimed) {
      const handled = handle(delivery).finally(() => handling.delete(handled));
      handling.add(handled);
    }
    if (!more && !signal.aborted) await rest(POLL_MS, wake.signal);
  }
  await Promise.all(handling);
}

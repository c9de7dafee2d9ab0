import type pg from 'pg';
import type { Logger } from 'pino';
import { createBatcher } from '../lib/batch.ts';
import type { RetryOptions } from '../lib/retry.ts';
import { retry } from '../lib/retry.ts';
import { sleep } from '../lib/loop.ts';
import type { Wake } from '../lib/wake.ts';
import { createWake } from '../lib/wake.ts';
import type { Watched } from '../lib/watchdog.ts';
import { UNWATCHED } from '../lib/watchdog.ts';
import type { EndedAttempt } from './attempt-sql.ts';
import { saveAttempts } from './attempt-sql.ts';
import { SAVED_ATTEMPTS } from './attempt-topic.ts';
import type { Claim, Claiming } from './claim-deliveries.ts';
import { claimDeliveries, NOTHING } from './claim-deliveries.ts';
import type { ClaimedDelivery } from './delivery-sql.ts';
import { returnDelivery } from './delivery-sql.ts';
import type { Caps, InFlight, Outcome } from './in-flight.ts';
import { createInFlight, freeSlots, markHanging, release } from './in-flight.ts';
import type { SendContext } from './send-delivery.ts';
import { sendDelivery } from './send-delivery.ts';
import { createTrust } from './trust.ts';
import { createTurns } from './turns.ts';
import type { UnsignedStores } from './unsigned-stores.ts';
import { createUnsignedStores } from './unsigned-stores.ts';

/**
 * Sends due deliveries as fast as the caps allow. Receivers that hang take only their own few slots; attempts are saved
 * together; leases of a worker that died run out in seconds.
 */

type DispatchContext = SendContext & {
  pool: pg.Pool;
  log: Logger;
  signal: AbortSignal;
  failpoint: (name: string) => void | Promise<void>;
  /** Whether this process has keys to sign with; while it has none, no delivery is claimed. */
  canSign?: () => boolean;
  /** Ends the process when a claim, an attempt or a save shows no sign of life. */
  watched?: Watched;
  /** Waits before a secret is read or an attempt is saved again; a test passes a function that does not sleep. */
  rest?: (ms: number) => Promise<void>;
};

const CAPS: Caps = {
  all: 128,
  perEndpoint: 4,
  perHost: 16,
  perStore: 32,
  hanging: 256,
  unproven: { fresh: 32, failing: 32, perEndpoint: 1, perHost: 8, perStore: 2 },
};
/**
 * Milliseconds without an answer after which an attempt counts as hanging; most receivers answer within a tenth of this
 * time.
 */
const HANGING_MS = 1_000;
const MAX_CLAIMED = 64;
const POLL_MS = 50;
const MAX_SAVED = 256;
/** The most attempts that are in flight, or answered and not saved yet. */
const MAX_UNSAVED = 512;
const MAX_SAVE_TRIES = 20;
/**
 * How often a secret is read again when it cannot be opened: few enough times that the lease leaves time for the
 * attempt.
 */
const MAX_SECRET_TRIES = 10;
const RETRY_MS = 500;
const PULLED_PER_SECOND = 20;
const MAX_PULLED = 1_000;
/**
 * The most unscheduled attempts of one delivery: as many as its schedule has, so that none is tried more than twice as
 * often.
 */
const MAX_UNSCHEDULED = 12;

/**
 * Retry options for a database that may be away for a moment: claimed deliveries are still sent, and ended attempts
 * saved.
 */
function retryOptions({ log, rest }: DispatchContext, what: string, tries: number): RetryOptions {
  return { tries, restMs: RETRY_MS, rest, onFailure: (cause, tried) => log.warn({ err: cause, tried }, what) };
}

async function save(context: DispatchContext, ended: readonly EndedAttempt[]): Promise<void> {
  const { pool, clock, log } = context;
  const pull = { perSecond: PULLED_PER_SECOND, limit: MAX_PULLED, maxUnscheduled: MAX_UNSCHEDULED };
  const back = await retry(
    () => saveAttempts(pool, ended, { ...pull, now: new Date(clock.nowMs()) }),
    retryOptions(context, 'attempts could not be saved yet', MAX_SAVE_TRIES),
  );
  SAVED_ATTEMPTS.publish(ended);
  for (const { endpointId, pulled } of back)
    log.info({ endpointId: String(endpointId), pulled }, 'endpoint is back, retries pulled forward');
}

/** Creates the function that saves attempts; those that end at about the same time are saved together. */
function createSaver(context: DispatchContext, watched: Watched): (ended: EndedAttempt) => Promise<undefined> {
  return createBatcher<EndedAttempt, undefined>({
    maxAsks: MAX_SAVED,
    maxRunning: 2,
    run: async (ended) => {
      await context.failpoint('delivery:before-save');
      await watched.beside('save', () => save(context, ended));
      await context.failpoint('delivery:after-save');
      return ended.map(() => undefined);
    },
  });
}

/**
 * Reads a store's secrets again while they cannot be opened; when they still cannot, the store is skipped for a while.
 */
function retrySecrets(context: DispatchContext, unsigned: UnsignedStores): SendContext['secretsOf'] {
  const options = retryOptions(context, 'secrets could not be read yet', MAX_SECRET_TRIES);
  return async (storeId) => {
    try {
      return await retry(() => context.secretsOf(storeId), options);
    } catch (cause) {
      context.log.error({ err: cause, storeId: String(storeId) }, 'webhooks of a store cannot be signed');
      unsigned.add(storeId);
      return undefined;
    }
  };
}

/** What one dispatcher works with until it is stopped. */
type Dispatcher = Readonly<{
  context: DispatchContext;
  sending: SendContext;
  watched: Watched;
  inFlight: InFlight;
  claiming: Claiming;
  /** A bell that is rung when a slot becomes free, so that the next claim is made at once. */
  wake: Wake;
  saveSoon: (ended: EndedAttempt) => Promise<undefined>;
  /** Deliveries that are in flight, or answered and not saved yet. */
  handling: Set<Promise<void>>;
}>;

function openDispatcher(context: DispatchContext): Dispatcher {
  const { pool, clock, watched = UNWATCHED } = context;
  const inFlight = createInFlight(CAPS, createTrust());
  const unsigned = createUnsignedStores(clock);
  return {
    context,
    sending: { ...context, secretsOf: retrySecrets(context, unsigned) },
    watched,
    inFlight,
    claiming: { pool, inFlight, turns: createTurns(), unsigned, known: [] },
    wake: createWake(),
    saveSoon: createSaver(context, watched),
    handling: new Set(),
  };
}

async function claimInRoom({ context, claiming, inFlight, handling }: Dispatcher): Promise<Claim> {
  const limit = Math.min(MAX_CLAIMED, freeSlots(inFlight), MAX_UNSAVED - handling.size);
  if (limit <= 0 || context.canSign?.() === false) return NOTHING;
  try {
    return await claimDeliveries(claiming, limit, new Date(context.clock.nowMs()));
  } catch (cause) {
    context.log.error({ err: cause }, 'deliveries could not be claimed');
    await sleep(POLL_MS * 10, context.signal);
    return NOTHING;
  }
}

/**
 * Sends a claimed delivery. Its slot is free again as soon as the receiver has answered: no other receiver waits for
 * our database.
 */
async function sendInSlot(dispatcher: Dispatcher, delivery: ClaimedDelivery): Promise<EndedAttempt | undefined> {
  const { context, sending, watched, inFlight, wake } = dispatcher;
  let outcome: Outcome = 'untried';
  const hangs = setTimeout(() => {
    markHanging(inFlight, delivery);
    wake.ring();
  }, HANGING_MS);
  try {
    const ended = await watched.beside('attempt', () => sendDelivery(sending, delivery));
    if (!ended) return undefined;
    await context.failpoint('delivery:sent');
    outcome = ended.state === 'delivered' ? 'delivered' : 'failed';
    return ended;
  } finally {
    clearTimeout(hangs);
    release(inFlight, delivery, outcome);
    wake.ring();
  }
}

async function handle(dispatcher: Dispatcher, delivery: ClaimedDelivery): Promise<void> {
  const { pool, log } = dispatcher.context;
  try {
    const ended = await sendInSlot(dispatcher, delivery);
    if (ended) await dispatcher.saveSoon(ended);
    else await returnDelivery(pool, delivery);
  } catch (cause) {
    // The failure is only logged: the delivery is due again when its lease runs out.
    log.error({ err: cause, deliveryId: String(delivery.id) }, 'delivery could not be handled');
  }
}

export async function dispatchDeliveries(context: DispatchContext): Promise<void> {
  const dispatcher = openDispatcher(context);
  const { watched, wake, handling } = dispatcher;
  while (!context.signal.aborted) {
    // The bell is reset before claiming: an attempt that ends during the claim rings the bell again, because the claim
    // may not know of the slot that became free.
    wake.reset();
    const { claimed, more } = await watched.run(() => claimInRoom(dispatcher));
    if (claimed.length > 0) await context.failpoint('delivery:claimed');
    for (const delivery of claimed) {
      const handled = handle(dispatcher, delivery).finally(() => handling.delete(handled));
      handling.add(handled);
    }
    if (!more) await wake.wait(POLL_MS, context.signal);
  }
  await Promise.all(handling);
}

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
import type { Skipped } from './skipped.ts';
import { createSkipped } from './skipped.ts';

type DispatchContext = SendContext & {
  pool: pg.Pool;
  log: Logger;
  signal: AbortSignal;
  failpoint: (name: string) => void | Promise<void>;
  /** Without keys to sign with, nothing is claimed. */
  canSign?: () => boolean;
  /** Ends the process when a claim, attempt or save hangs. */
  watched?: Watched;
  /** Waits between retries of reads and saves; a test does not sleep. */
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
/** An attempt without an answer counts as hanging after this time; most receivers answer within a tenth of it. */
const HANGING_MS = 1_000;
const MAX_CLAIMED = 64;
const POLL_MS = 50;
const MAX_SAVED = 256;
/** Most attempts in flight, or answered and unsaved. */
const MAX_UNSAVED = 512;
const MAX_SAVE_TRIES = 20;
/** Retries of an unreadable secret; few enough that the lease leaves time for the attempt. */
const MAX_SECRET_TRIES = 10;
const RETRY_MS = 500;
const PULLED_PER_SECOND = 20;
const MAX_PULLED = 1_000;
/** As many as its schedule has, so that no delivery is attempted more than twice as often. */
const MAX_UNSCHEDULED = 12;

/** For a database that may be away briefly: claimed deliveries are still sent, and ended attempts saved. */
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

/** Saves attempts that end at about the same time together. */
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

type Signers = Pick<SendContext, 'secretsOf' | 'endpointSecretsOf'>;

/** Retries unreadable secrets; then skips the store or the webhook endpoint for a while. */
function retrySecrets(context: DispatchContext, unsigned: Claiming['unsigned']): Signers {
  const options = retryOptions(context, 'secrets could not be read yet', MAX_SECRET_TRIES);
  const retrying =
    (read: SendContext['secretsOf'], skipped: Skipped, name: string): SendContext['secretsOf'] =>
    async (id) => {
      try {
        return await retry(() => read(id), options);
      } catch (cause) {
        context.log.error({ err: cause, [name]: String(id) }, 'webhooks cannot be signed');
        skipped.add(id);
        return undefined;
      }
    };
  return {
    secretsOf: retrying(context.secretsOf, unsigned.stores, 'storeId'),
    endpointSecretsOf: retrying(context.endpointSecretsOf, unsigned.endpoints, 'endpointId'),
  };
}

type Dispatcher = Readonly<{
  context: DispatchContext;
  sending: SendContext;
  watched: Watched;
  inFlight: InFlight;
  claiming: Claiming;
  /** Rung when a slot becomes free, so that the next claim is immediate. */
  wake: Wake;
  saveSoon: (ended: EndedAttempt) => Promise<undefined>;
  /** Deliveries in flight, or answered and unsaved. */
  handling: Set<Promise<void>>;
}>;

function openDispatcher(context: DispatchContext): Dispatcher {
  const { pool, clock, watched = UNWATCHED } = context;
  const inFlight = createInFlight(CAPS, createTrust());
  const unsigned = { stores: createSkipped(clock), endpoints: createSkipped(clock) };
  return {
    context,
    sending: { ...context, ...retrySecrets(context, unsigned) },
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

/** Sends a claimed delivery. Its slot is free once the receiver answered: others do not wait for our database. */
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
    // Only logged: the delivery is due again when its lease expires.
    log.error({ err: cause, deliveryId: String(delivery.id) }, 'delivery could not be handled');
  }
}

export async function dispatchDeliveries(context: DispatchContext): Promise<void> {
  const dispatcher = openDispatcher(context);
  const { watched, wake, handling } = dispatcher;
  while (!context.signal.aborted) {
    // Reset before claiming: an attempt that ends during the claim rings again, because the claim may miss its slot.
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

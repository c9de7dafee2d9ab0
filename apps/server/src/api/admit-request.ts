import type { FastifyReply, FastifyRequest } from 'fastify';
import type pg from 'pg';
import { createBatcher } from '../lib/batch.ts';
import { clientBucket } from '../lib/client-address.ts';
import { steadyClock } from '../lib/clock.ts';
import { PublicError } from './public-error.ts';
import { createTurnstile } from '../lib/turnstile.ts';
import type { Endpoint, RateVerdict, RateWindow } from '../stores/admission.ts';
import { BURST_WINDOW_SECONDS, CONTRACT_LIMITS, SUSTAINED_WINDOW_SECONDS } from '../stores/admission.ts';
import type { Admission, AdmissionAsk } from '../stores/admission-sql.ts';
import { admitAll } from '../stores/admission-sql.ts';
import { createMerchantRates } from '../stores/merchant-rate.ts';
import type { AdmittedStore } from '../stores/store-for-key.ts';
import { storeForKey } from '../stores/store-for-key.ts';
import { hashApiKey, isWellFormedApiKey } from '../stores/api-key.ts';

/** Most requests per statement. Two run concurrently, so that the database stays busy while answers travel. */
const MAX_ASKS = 128;
const MAX_RUNNING = 2;

/** Requests without a well-formed API key use their own statements, one at a time, so that others never wait. */
const STRANGERS_RUNNING = 1;
/** Most refusals that may wait to be sent. */
const MAX_WAITING = 10_000;

export type Admit = (endpoint: Endpoint, ask: AdmissionAsk) => Promise<Admission>;

/** `countUse` is called with the hash of each valid key. */
export function createAdmit(pool: pg.Pool, countUse: (keyHash: Buffer) => void): Admit {
  const batcher = (endpoint: Endpoint, maxRunning: number) =>
    createBatcher<AdmissionAsk, Admission>({
      run: (asks) => admitAll(pool, endpoint, asks),
      maxAsks: MAX_ASKS,
      maxRunning,
    });
  const batchers = (maxRunning: number) => ({
    create: batcher('create', maxRunning),
    cancel: batcher('cancel', maxRunning),
    lookup: batcher('lookup', maxRunning),
    list: batcher('list', maxRunning),
    sandbox: batcher('sandbox', maxRunning),
    other: batcher('other', maxRunning),
  });
  const [keyed, strangers] = [batchers(MAX_RUNNING), batchers(STRANGERS_RUNNING)];
  const turnstile = createTurnstile(MAX_WAITING);
  const judgeMerchant = createMerchantRates(steadyClock);
  return async (endpoint, ask) => {
    const admission = await (ask.keyHash === null ? strangers : keyed)[endpoint](ask);
    // Refusals are sent one at a time: a statement may refuse many requests, and answering them together would delay
    // every other one.
    if (!admission.store) await turnstile.pass();
    else if (ask.keyHash) countUse(ask.keyHash);
    return judgeMerchant(endpoint, admission);
  };
}

function setRateHeaders(reply: FastifyReply, window: RateWindow): void {
  reply.header('RateLimit-Limit', window.limit);
  reply.header('RateLimit-Remaining', window.remaining);
  reply.header('RateLimit-Reset', window.resetSeconds);
}

/** Rate headers of a request that could not be counted. */
function setUncounted(reply: FastifyReply, endpoint: Endpoint): void {
  const { burst } = CONTRACT_LIMITS[endpoint];
  setRateHeaders(reply, { limit: burst, remaining: 0, resetSeconds: BURST_WINDOW_SECONDS });
}

function refuseRate(rate: RateVerdict, exceeded: 'burst' | 'sustained', reply: FastifyReply): PublicError {
  const seconds = exceeded === 'burst' ? BURST_WINDOW_SECONDS : SUSTAINED_WINDOW_SECONDS;
  reply.header('Retry-After', seconds);
  return new PublicError('RATE_LIMIT_EXCEEDED', {
    message:
      exceeded === 'burst'
        ? 'Too many requests per second.'
        : `Rate limit exceeded. Maximum ${rate.window.limit} requests per minute.`,
    extra: { limit_type: exceeded, retry_after_seconds: seconds },
  });
}

async function askAdmission(
  admit: Admit,
  endpoint: Endpoint,
  request: FastifyRequest,
  key: string,
): Promise<Admission> {
  try {
    const keyHash = isWellFormedApiKey(key) ? hashApiKey(key) : null;
    return await admit(endpoint, { keyHash, address: clientBucket(request.ip) });
  } catch (cause) {
    throw new PublicError('AUTHENTICATION_FAILED', { cause });
  }
}

const admitted = new WeakMap<FastifyRequest, string>();

export const admittedStore = (request: FastifyRequest): string | undefined => admitted.get(request);

function apiKeyOf(request: FastifyRequest): string {
  const header = request.headers['x-api-key'];
  return typeof header === 'string' ? header : '';
}

/** Checks rate limit, API key, merchant and store in this order. Every answer has rate headers. */
export async function admitRequest(
  admit: Admit,
  endpoint: Exclude<Endpoint, 'other'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<AdmittedStore> {
  setUncounted(reply, endpoint);
  const key = apiKeyOf(request);
  const { store, rate } = await askAdmission(admit, endpoint, request, key);
  setRateHeaders(reply, rate.window);
  if (store) admitted.set(request, store.merchantId);
  if (rate.exceeded) throw refuseRate(rate, rate.exceeded, reply);
  if (key === '') throw new PublicError('MISSING_API_KEY');
  if (!store) throw new PublicError('INVALID_API_KEY');
  if (!store.accountActive) throw new PublicError('ACCOUNT_INACTIVE');
  if (!store.active) throw new PublicError('STORE_INACTIVE');
  return storeForKey(store);
}

export async function admitStranger(admit: Admit, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  setUncounted(reply, 'other');
  const { rate } = await askAdmission(admit, 'other', request, '');
  setRateHeaders(reply, rate.window);
  if (rate.exceeded) throw refuseRate(rate, rate.exceeded, reply);
}

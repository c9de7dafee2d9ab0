import { z } from 'zod';
import { command } from '../lib/command.ts';
import { OperatorError } from '../lib/errors.ts';
import { rest } from '../lib/loop.ts';
import type { OperatorContext } from '../secrets/operator.ts';
import { readUnsignedStores } from '../stores/api-key-store.ts';
import { MAX_OVERLAP_HOURS } from '../stores/issue-api-key.ts';
import { rotateWebhookSecret } from '../stores/rotate-webhook-secret.ts';
import { findStore } from '../stores/store-store.ts';
import { redeliverEvents } from './redeliver-events.ts';
import { listAttempts } from './redelivery-store.ts';
import { readOutcome } from './test-store.ts';
import { testWebhook } from './test-webhook.ts';

const MAX_LISTED = 200;
const MAX_WAIT_SECONDS = 60;
const POLL_MS = 100;

async function requireStore(context: OperatorContext, merchantId: string): Promise<bigint> {
  const store = await findStore(context.database.queries, merchantId);
  if (!store) throw new OperatorError(`There is no store ${merchantId}.`);
  return store.id;
}

const testInput = z.object({
  store: z.string(),
  url: z.string().optional(),
  wait: z.coerce.number().int().min(0).max(MAX_WAIT_SECONDS).default(20),
});

/** Until the first attempt has ended; a worker makes it, so it may not come. */
async function awaitOutcome(context: OperatorContext, storeId: bigint, eventId: string, waitSeconds: number) {
  const untilMs = context.clock.nowMs() + waitSeconds * 1000;
  for (;;) {
    const outcome = await readOutcome(context.database.queries, storeId, eventId);
    const hasEnded = outcome !== undefined && outcome.attempt !== null;
    if (hasEnded || context.clock.nowMs() >= untilMs) return outcome;
    await rest(POLL_MS, new AbortController().signal);
  }
}

const test = command<OperatorContext, typeof testInput>('webhook test', {
  summary: 'Send a signed test event, and show what came back.',
  options: {
    store: 'MERCHANT_ID',
    url: "URL              the store's newest callback address, unless told",
    wait: 'SECONDS         for the first attempt, at most 60 (20)',
  },
  input: testInput,
  run: async (context, { store, url, wait }) => {
    const storeId = await requireStore(context, store);
    const event = await testWebhook(context.database, context.clock, { storeId, url, actor: context.actor });
    return { event, ...(await awaitOutcome(context, storeId, event, wait)) };
  },
});

const attemptsInput = z.object({ store: z.string(), invoice: z.string() });

const attempts = command<OperatorContext, typeof attemptsInput>('webhook attempts', {
  summary: 'What was sent for an invoice, and what came back.',
  options: { store: 'MERCHANT_ID', invoice: 'TRANS_ID' },
  input: attemptsInput,
  run: async (context, { store, invoice }) =>
    listAttempts(context.database.queries, await requireStore(context, store), invoice, MAX_LISTED),
});

const eventInput = z.object({ store: z.string(), event: z.string() });

const redeliver = command<OperatorContext, typeof eventInput>('webhook redeliver', {
  summary: 'Send one event again.',
  options: { store: 'MERCHANT_ID', event: 'EVENT_ID' },
  input: eventInput,
  run: async (context, { store, event }) => {
    const choice = { storeId: await requireStore(context, store), eventId: event };
    return redeliverEvents(context.database, context.clock, choice, context.actor);
  },
});

const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const rangeInput = z.object({ store: z.string(), from: moment, to: moment });

const redeliverRange = command<OperatorContext, typeof rangeInput>('webhook replay', {
  summary: 'Send the events of a time range again, 10,000 at most.',
  options: {
    store: 'MERCHANT_ID',
    from: 'TIME            for example 2026-11-15T00:00:00Z',
    to: 'TIME              not included',
  },
  input: rangeInput,
  run: async (context, { store, from, to }) => {
    const choice = { storeId: await requireStore(context, store), from, to };
    return redeliverEvents(context.database, context.clock, choice, context.actor);
  },
});

const rotateInput = z.object({
  store: z.string(),
  overlap: z.coerce.number().int().min(0).max(MAX_OVERLAP_HOURS).default(24),
});

const rotate = command<OperatorContext, typeof rotateInput>('webhook rotate', {
  summary: 'Give a store a new webhook secret; the old one signs along during the overlap.',
  options: { store: 'MERCHANT_ID', overlap: 'HOURS        at most 168 (24)' },
  input: rotateInput,
  run: async ({ database, clock, actor, keyRing }, { store, overlap }) => ({
    webhook_secret: await rotateWebhookSecret(database, clock, await keyRing(), {
      merchantId: store,
      overlapHours: overlap,
      actor,
    }),
  }),
});

const nothing = z.object({});
const MAX_UNSIGNED_LISTED = 1_000;

const unsigned = command<OperatorContext, typeof nothing>('webhook unsigned', {
  summary: 'Stores whose webhooks wait because their secret was given up with a lost key.',
  options: {},
  input: nothing,
  run: ({ database, clock }) => readUnsignedStores(database.queries, new Date(clock.nowMs()), MAX_UNSIGNED_LISTED),
});

export const webhookCommands = [test, attempts, redeliver, redeliverRange, rotate, unsigned];

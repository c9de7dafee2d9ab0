import { z } from 'zod';
import { wholeNumber } from '../config/setting.ts';
import { command } from './command.ts';
import { sleep } from '../lib/loop.ts';
import type { OperatorContext } from './operator-context.ts';
import { MAX_OVERLAP_HOURS } from '../stores/issue-api-key.ts';
import { rotateWebhookSecret } from '../stores/rotate-webhook-secret.ts';
import { storeForOperator } from '../stores/store-for-operator.ts';
import { readUnsignedStores } from '../stores/webhook-secret-sql.ts';
import { redeliverEvents } from '../webhooks/redeliver-events.ts';
import { listAttempts } from '../webhooks/attempt-list-sql.ts';
import { readOutcome } from '../webhooks/test-event-sql.ts';
import { sendTestEvent } from '../webhooks/send-test-event.ts';

const MAX_LISTED = 200;
const MAX_WAIT_SECONDS = 60;
const POLL_MS = 100;

const testInput = z.object({
  store: z.string(),
  url: z.string().optional(),
  wait: wholeNumber(0, MAX_WAIT_SECONDS).default(20),
});

/** Waits until the first attempt has ended or the time is over: a worker makes the attempt, so it may never come. */
export async function awaitOutcome(context: OperatorContext, storeId: bigint, eventId: string, waitSeconds: number) {
  const untilMs = context.clock.nowMs() + waitSeconds * 1000;
  for (;;) {
    const outcome = await readOutcome(context.database.queries, storeId, eventId);
    const hasEnded = outcome !== undefined && outcome.attempt !== null;
    if (hasEnded || context.clock.nowMs() >= untilMs) return outcome;
    await sleep(POLL_MS, new AbortController().signal);
  }
}

const test = command<OperatorContext, typeof testInput>('webhook test', {
  summary: 'Send a signed test event, and show the response.',
  options: {
    store: 'MERCHANT_ID',
    url: "URL              the store's newest callback address, unless told",
    wait: 'SECONDS         for the first attempt, at most 60 (20)',
  },
  input: testInput,
  run: async (context, { store: code, url, wait }) => {
    const store = await storeForOperator(context, context.actor, code);
    const event = await sendTestEvent(context, context.actor, { store, url });
    return { event, ...(await awaitOutcome(context, store.id, event, wait)) };
  },
});

const attemptsInput = z.object({ store: z.string(), invoice: z.string() });

const attempts = command<OperatorContext, typeof attemptsInput>('webhook attempts', {
  summary: 'Delivery attempts of an invoice, and their responses.',
  options: { store: 'MERCHANT_ID', invoice: 'TRANS_ID' },
  input: attemptsInput,
  run: async (context, { store, invoice }) => {
    const { id } = await storeForOperator(context, context.actor, store);
    return listAttempts(context.database.queries, id, invoice, MAX_LISTED);
  },
});

const ENDPOINT = 'CODE         to this webhook endpoint (the callback URL)';
const eventInput = z.object({ store: z.string(), event: z.string(), endpoint: z.string().optional() });

const redeliver = command<OperatorContext, typeof eventInput>('webhook redeliver', {
  summary: 'Resend one event.',
  options: { store: 'MERCHANT_ID', event: 'EVENT_ID', endpoint: ENDPOINT },
  input: eventInput,
  run: async (context, { store: code, event, endpoint }) => {
    const store = await storeForOperator(context, context.actor, code);
    return redeliverEvents(context, context.actor, { store, eventId: event, endpoint });
  },
});

const moment = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const rangeInput = z.object({ store: z.string(), from: moment, to: moment, endpoint: z.string().optional() });

const redeliverRange = command<OperatorContext, typeof rangeInput>('webhook replay', {
  summary: 'Resend the events of a period, 10,000 at most.',
  options: {
    store: 'MERCHANT_ID',
    from: 'TIME            for example 2026-11-15T00:00:00Z',
    to: 'TIME              not included',
    endpoint: ENDPOINT,
  },
  input: rangeInput,
  run: async (context, { store: code, from, to, endpoint }) => {
    const store = await storeForOperator(context, context.actor, code);
    return redeliverEvents(context, context.actor, { store, from, to, endpoint });
  },
});

const rotateInput = z.object({
  store: z.string(),
  overlap: wholeNumber(0, MAX_OVERLAP_HOURS).default(24),
});

const rotate = command<OperatorContext, typeof rotateInput>('webhook rotate', {
  summary: 'Give a store a new webhook secret; the old one signs along during the overlap.',
  options: { store: 'MERCHANT_ID', overlap: 'HOURS        at most 168 (24)' },
  input: rotateInput,
  run: async ({ database, clock, actor, keyRing, outbox }, { store: code, overlap }) => {
    const context = { database, clock, ring: await keyRing(), jobs: (await outbox()).jobs };
    const store = await storeForOperator(context, actor, code);
    return { webhook_secret: await rotateWebhookSecret(context, actor, { store, overlapHours: overlap }) };
  },
});

const nothing = z.object({});
const MAX_UNSIGNED_LISTED = 1_000;

const unsigned = command<OperatorContext, typeof nothing>('webhook unsigned', {
  summary: 'Stores whose webhooks wait because their secret was abandoned with a lost key.',
  options: {},
  input: nothing,
  run: ({ database, clock }) => readUnsignedStores(database.queries, new Date(clock.nowMs()), MAX_UNSIGNED_LISTED),
});

export const webhookCommands = [test, attempts, redeliver, redeliverRange, rotate, unsigned];

import { ENDPOINT_EVENT_TYPES } from '@counterfoil/core/event-type.ts';
import { z } from 'zod';
import { wholeNumber } from '../config/setting.ts';
import { MAX_OVERLAP_HOURS } from '../stores/issue-api-key.ts';
import { storeForOperator } from '../stores/store-for-operator.ts';
import { addWebhookEndpoint } from '../webhooks/add-webhook-endpoint.ts';
import { changeWebhookEndpoint, deleteWebhookEndpoint } from '../webhooks/change-webhook-endpoint.ts';
import { listWebhookEndpoints } from '../webhooks/endpoint-list-sql.ts';
import { rotateEndpointSecret } from '../webhooks/rotate-endpoint-secret.ts';
import { sendTestEvent } from '../webhooks/send-test-event.ts';
import { command } from './command.ts';
import { yesNo } from './command-fields.ts';
import type { OperatorContext } from './operator-context.ts';
import { awaitOutcome } from './webhook-commands.ts';

const STORE = 'MERCHANT_ID';
const ENDPOINT = 'CODE         such as EP-7K2M9QX1B8Z3';
const MAX_WAIT_SECONDS = 60;

const types = z
  .string()
  .transform((text) => [...new Set(text.split(','))])
  .pipe(z.array(z.enum(ENDPOINT_EVENT_TYPES, `must be a list of ${ENDPOINT_EVENT_TYPES.join(', ')}`)));

/** The context of a verb that seals secrets and notifies owners. */
async function withRing({ database, clock, privateCallbacks, keyRing, outbox }: OperatorContext) {
  return { database, clock, privateCallbacks, ring: await keyRing(), jobs: (await outbox()).jobs };
}

const listInput = z.object({ store: z.string() });

const list = command<OperatorContext, typeof listInput>('endpoint list', {
  summary: 'Webhook endpoints of a store.',
  options: { store: STORE },
  input: listInput,
  run: async (context, { store: code }) => {
    const { id } = await storeForOperator(context, context.actor, code);
    const endpoints = await listWebhookEndpoints(context.database.queries, id, new Date(context.clock.nowMs()));
    return endpoints.map(({ code: endpoint, url, types: sent, disabledAt, failingSince, createdAt }) => ({
      endpoint,
      url,
      types: sent.join(','),
      created: createdAt,
      disabled: disabledAt,
      failing_since: failingSince,
    }));
  },
});

const addInput = z.object({ store: z.string(), url: z.string(), types: types.default([...ENDPOINT_EVENT_TYPES]) });

const add = command<OperatorContext, typeof addInput>('endpoint add', {
  summary: 'Add a webhook endpoint to a store, and show its secret. At most ten per store.',
  options: { store: STORE, url: 'URL', types: 'LIST          separated by commas (all)' },
  input: addInput,
  run: async (context, { store: code, url, types: chosen }) => {
    const store = await storeForOperator(context, context.actor, code);
    const { endpoint, secret } = await addWebhookEndpoint(await withRing(context), context.actor, {
      store,
      url,
      types: chosen,
    });
    return { endpoint, webhook_secret: secret };
  },
});

const typesInput = z.object({ store: z.string(), endpoint: z.string(), types });

const setTypes = command<OperatorContext, typeof typesInput>('endpoint types', {
  summary: 'Change which events a webhook endpoint receives.',
  options: { store: STORE, endpoint: ENDPOINT, types: 'LIST          separated by commas' },
  input: typesInput,
  run: async (context, { store: code, endpoint, types: chosen }) => {
    const store = await storeForOperator(context, context.actor, code);
    await changeWebhookEndpoint(context, context.actor, { store, endpoint, change: { types: chosen } });
    return { endpoint, types: chosen.join(',') };
  },
});

const enableInput = z.object({ store: z.string(), endpoint: z.string(), enabled: yesNo });

const enable = command<OperatorContext, typeof enableInput>('endpoint enable', {
  summary: 'Disable a webhook endpoint, which ends its pending deliveries, or enable it again.',
  options: { store: STORE, endpoint: ENDPOINT, enabled: 'yes|no' },
  input: enableInput,
  run: async (context, { store: code, endpoint, enabled }) => {
    const store = await storeForOperator(context, context.actor, code);
    await changeWebhookEndpoint(context, context.actor, { store, endpoint, change: { enabled } });
    return { endpoint, enabled };
  },
});

const oneInput = z.object({ store: z.string(), endpoint: z.string() });

const remove = command<OperatorContext, typeof oneInput>('endpoint delete', {
  summary: 'Delete a webhook endpoint; its deliveries stay in the log.',
  options: { store: STORE, endpoint: ENDPOINT },
  input: oneInput,
  run: async (context, { store: code, endpoint }) => {
    const store = await storeForOperator(context, context.actor, code);
    await deleteWebhookEndpoint(context, context.actor, { store, endpoint });
    return { deleted: endpoint };
  },
});

const rotateInput = z.object({
  store: z.string(),
  endpoint: z.string(),
  overlap: wholeNumber(0, MAX_OVERLAP_HOURS).default(24),
});

const rotate = command<OperatorContext, typeof rotateInput>('endpoint rotate', {
  summary: 'Give a webhook endpoint a new secret; the old one signs along during the overlap.',
  options: { store: STORE, endpoint: ENDPOINT, overlap: 'HOURS        at most 168 (24)' },
  input: rotateInput,
  run: async (context, { store: code, endpoint, overlap }) => {
    const store = await storeForOperator(context, context.actor, code);
    const asked = { store, endpoint, overlapHours: overlap };
    return { webhook_secret: await rotateEndpointSecret(await withRing(context), context.actor, asked) };
  },
});

const testInput = z.object({
  store: z.string(),
  endpoint: z.string(),
  wait: wholeNumber(0, MAX_WAIT_SECONDS).default(20),
});

const test = command<OperatorContext, typeof testInput>('endpoint test', {
  summary: 'Send a signed test event to a webhook endpoint, and show the response.',
  options: { store: STORE, endpoint: ENDPOINT, wait: 'SECONDS         for the first attempt, at most 60 (20)' },
  input: testInput,
  run: async (context, { store: code, endpoint, wait }) => {
    const store = await storeForOperator(context, context.actor, code);
    const event = await sendTestEvent(context, context.actor, { store, endpoint });
    return { event, ...(await awaitOutcome(context, store.id, event, wait)) };
  },
});

export const endpointCommands = [list, add, setTypes, enable, remove, rotate, test];

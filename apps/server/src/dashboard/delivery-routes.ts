import { DAY_SECONDS, SECOND_MS } from '@counterfoil/core/duration.ts';
import { EVENT_TYPES } from '@counterfoil/core/event-type.ts';
import { requireVisibleStores } from '../invoices/require-visible-stores.ts';
import { unixSeconds } from '../lib/clock.ts';
import { z } from 'zod';
import { countReplay } from '../webhooks/count-replay.ts';
import type { DeliveryState, ListedDelivery } from '../webhooks/delivery-list-sql.ts';
import { ANSWER_CLASSES, listDeliveries } from '../webhooks/delivery-list-sql.ts';
import { findEvent, listAttemptsOf, listDeliveriesOfEvent } from '../webhooks/event-view-sql.ts';
import { redeliverEvents } from '../webhooks/redeliver-events.ts';
import { FIXED_HEADERS } from '../webhooks/send-delivery.ts';
import { sendTestEvent } from '../webhooks/send-test-event.ts';
import { storeOfEvent } from '../webhooks/store-of-event.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import { DashboardError } from './dashboard-error.ts';
import { moment, rowCursor } from './query-fields.ts';
import { PAGE_ROWS } from './paging.ts';
import type { DashboardRoute } from './route.ts';
import { personRoute } from './route.ts';

/** Routes about webhooks: events, targets, answers and redelivery. */

/** Deliveries read per request: few by index, more where a filter reads each. A rare filter takes several requests. */
const LOOKED = { found: 300, filtered: 1_500 };
const MAX_DELIVERIES = 20;
const MAX_ATTEMPTS = 50;
const MAX_URL = 500;
const MAX_CODE = 40;
const MAX_REPLAY_DAYS = 31;

const deliveryQuery = z.strictObject({
  after: rowCursor,
  state: z.enum(['pending', 'delivered', 'failed']).optional(),
  http: z.enum(ANSWER_CLASSES).optional(),
  type: z.enum(EVENT_TYPES).optional(),
  url: z.string().max(MAX_URL).optional(),
  endpoint: z.string().max(MAX_CODE).optional(),
  store: z.string().max(MAX_CODE).optional(),
  from: moment,
  to: moment,
});

/** The code of a webhook endpoint; without it, events go to the callback URL. */
const endpoint = z.string().max(MAX_CODE).optional();
const redeliverBody = z.strictObject({ endpoint });

const replayMoment = z.int().min(0).max(10_000_000_000);
const replayBody = z
  .strictObject({ from: replayMoment, to: replayMoment, dry_run: z.boolean(), endpoint })
  .refine(({ from, to }) => from < to && to - from <= MAX_REPLAY_DAYS * DAY_SECONDS, {
    path: ['to'],
    message: `A replay covers at most ${MAX_REPLAY_DAYS} days.`,
  });

const testBody = z.strictObject({ url: z.string().max(MAX_URL).optional() });

/** When a delivery is next attempted; null when it has ended. */
const nextOf = ({ state, nextAttemptAt }: { state: DeliveryState; nextAttemptAt: Date }) =>
  state === 'pending' ? unixSeconds(nextAttemptAt) : null;

const viewDelivery = (one: ListedDelivery, store: string) => ({
  delivery: String(one.id),
  store,
  event: one.eventId,
  type: one.type,
  url: one.url,
  endpoint: one.endpoint,
  state: one.state,
  by_hand: one.byHand,
  attempts: one.attempts,
  created_at: unixSeconds(one.createdAt),
  next_attempt_at: nextOf(one),
  last_attempt: one.lastAt && {
    at: unixSeconds(one.lastAt),
    status: one.lastStatus,
    error: one.lastError,
    duration_ms: one.lastDurationMs,
  },
});

/** Whether a filter reads each delivery. */
const isFiltered = ({ type, url, endpoint: of }: Pick<z.output<typeof deliveryQuery>, 'type' | 'url' | 'endpoint'>) =>
  type !== undefined || url !== undefined || of !== undefined;

const listRoute = personRoute(
  { method: 'GET', url: '/accounts/:account/deliveries', summary: 'List deliveries of webhooks', query: deliveryQuery },
  async ({ context, person, path: { account = '' }, query }) => {
    const { after: before, store: merchantId, http: answer, ...filter } = query;
    const asked = { merchantCode: account, permission: 'delivery.see', merchantId } as const;
    const { stores } = await requireVisibleStores(context, person, asked);
    const byIndex = filter.state === undefined || filter.state === 'failed';
    const isFound = byIndex && !isFiltered(filter) && answer === undefined;
    const page = { before, looked: isFound ? LOOKED.found : LOOKED.filtered, limit: PAGE_ROWS + 1 };
    const found = await listDeliveries(context.views.queries, [...stores.keys()], { ...filter, answer }, page);
    const shown = found.deliveries.slice(0, PAGE_ROWS);
    const next = found.deliveries.length > PAGE_ROWS ? (shown.at(-1)?.id ?? null) : found.lookedTo;
    return {
      deliveries: shown.map((one) => viewDelivery(one, stores.get(one.storeId)?.merchantId ?? '')),
      more: next !== null,
      next: next === null ? null : String(next),
    };
  },
);

const eventRoute = personRoute(
  { method: 'GET', url: '/accounts/:account/events/:event', summary: 'Look at an event and how it was told' },
  async ({ context, person, path: { account = '', event: eventId = '' } }) => {
    const asked = { merchantCode: account, eventId, permission: 'delivery.see' } as const;
    const store = await storeOfEvent(context, person, asked);
    const { queries } = context.views;
    const event = await findEvent(queries, store.id, eventId);
    if (!event) throw new DashboardError('NOT_FOUND');
    const deliveries = await listDeliveriesOfEvent(queries, event.id, MAX_DELIVERIES);
    const ids = deliveries.map(({ id }) => id);
    const attempts = Map.groupBy(await listAttemptsOf(queries, ids, MAX_ATTEMPTS), ({ deliveryId }) => deliveryId);
    return {
      event: eventId,
      store: store.merchantId,
      type: event.type,
      sequence: event.sequence,
      created_at: unixSeconds(event.createdAt),
      invoice: event.transId,
      body: event.body,
      headers: { ...FIXED_HEADERS, 'webhook-id': eventId },
      deliveries: deliveries.map((one) => ({
        delivery: String(one.id),
        url: one.url,
        endpoint: one.endpoint,
        can_be_sent: one.enabled,
        state: one.state,
        by_hand: one.byHand,
        created_at: unixSeconds(one.createdAt),
        next_attempt_at: nextOf(one),
        attempts: (attempts.get(one.id) ?? []).map(({ number, at, status, error, durationMs, excerpt }) => ({
          number,
          at: unixSeconds(at),
          status,
          error,
          duration_ms: durationMs,
          excerpt,
        })),
      })),
    };
  },
);

const redeliverRoute = personRoute(
  {
    method: 'POST',
    url: '/accounts/:account/events/:event/redeliver',
    summary: 'Send an event again',
    body: redeliverBody,
  },
  async ({ context, person, path: { account = '', event: eventId = '' }, input }) => {
    const asked = { merchantCode: account, eventId, permission: 'delivery.use' } as const;
    const store = await storeOfEvent(context, person, asked);
    const { redelivered } = await redeliverEvents(context, person, { store, eventId, endpoint: input.endpoint });
    return { redelivered };
  },
);

const replayRoute = personRoute(
  {
    method: 'POST',
    url: '/accounts/:account/stores/:store/replay',
    summary: 'Send the events of a time again, or count them',
    body: replayBody,
  },
  async ({ context, person, path: { account = '', store: merchantId = '' }, input }) => {
    const asked = { merchantCode: account, merchantId, permission: 'delivery.use' } as const;
    const store = await storeForMember(context, person, asked);
    const range = { from: new Date(input.from * SECOND_MS), to: new Date(input.to * SECOND_MS) };
    const asking = { store, endpoint: input.endpoint, ...range };
    const counted = await countReplay(context, person, asking);
    if (input.dry_run || counted.redelivered === 0) return counted;
    const { redelivered, erased } = await redeliverEvents(context, person, asking);
    return { redelivered, erased, pending: counted.pending };
  },
);

const testRoute = personRoute(
  {
    method: 'POST',
    url: '/accounts/:account/stores/:store/webhook-test',
    summary: 'Send a test event',
    body: testBody,
  },
  async ({ context, person, path: { account = '', store: merchantId = '' }, input: { url } }) => {
    const asked = { merchantCode: account, merchantId, permission: 'delivery.use' } as const;
    const store = await storeForMember(context, person, asked);
    return { event: await sendTestEvent(context, person, { store, url }) };
  },
);

export const deliveryRoutes: readonly DashboardRoute[] = [
  listRoute,
  eventRoute,
  redeliverRoute,
  replayRoute,
  testRoute,
];

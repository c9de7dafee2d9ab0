import type { EventType } from '@counterfoil/core/event-type.ts';
import { queryOptions } from '@tanstack/react-query';
import type { Answer } from './call.ts';
import { call } from './call.ts';

const POLL_MS = 30_000;
/** Poll interval while a user waits for a server's answer. */
const WAIT_MS = 2_000;

export type Delivery = Answer<'GET /accounts/{account}/deliveries'>['deliveries'][number];
export type WebhookEvent = Answer<'GET /accounts/{account}/events/{event}'>;
export type EventDelivery = WebhookEvent['deliveries'][number];
export type Attempt = EventDelivery['attempts'][number];
export type StoreDetails = Answer<'GET /accounts/{account}/stores/{store}'>;

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
export const ANSWER_CLASSES = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;

/** Query parameters of the list; `from` and `to` are Unix seconds. */
export type DeliverySearch = {
  state?: (typeof DELIVERY_STATES)[number];
  http?: (typeof ANSWER_CLASSES)[number];
  type?: EventType;
  url?: string;
  /** The code of a webhook endpoint. */
  endpoint?: string;
  store?: string;
  from?: string;
  to?: string;
  after?: string;
};

export const deliveriesQuery = (account: string, search: DeliverySearch) =>
  queryOptions({
    queryKey: ['deliveries', account, search],
    queryFn: () => call('GET /accounts/{account}/deliveries', { path: { account }, query: search }),
    refetchInterval: POLL_MS,
  });

const failingOf = async (account: string, mode: 'live' | 'test') =>
  (await call('GET /accounts/{account}/home', { path: { account }, query: { mode } })).attention.failing_receivers ??
  [];

/** Failing receivers of live and test stores. */
export const failingReceiversQuery = (account: string) =>
  queryOptions({
    queryKey: ['failing-receivers', account],
    queryFn: async () => (await Promise.all([failingOf(account, 'live'), failingOf(account, 'test')])).flat(),
    refetchInterval: POLL_MS,
  });

const isPending = (event: WebhookEvent | undefined) => event?.deliveries.some(({ state }) => state === 'pending');

export const eventQuery = (account: string, event: string) =>
  queryOptions({
    queryKey: ['event', account, event],
    queryFn: () => call('GET /accounts/{account}/events/{event}', { path: { account, event } }),
    refetchInterval: ({ state }) => (isPending(state.data) ? WAIT_MS : POLL_MS),
  });

export const storeDetailsQuery = (account: string, store: string) =>
  queryOptions({
    queryKey: ['store', account, store],
    queryFn: () => call('GET /accounts/{account}/stores/{store}', { path: { account, store } }),
  });

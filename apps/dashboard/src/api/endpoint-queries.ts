import { queryOptions } from '@tanstack/react-query';
import type { Answer } from './call.ts';
import { call } from './call.ts';
import { queryClient } from './queries.ts';

const POLL_MS = 30_000;

export type WebhookEndpoint = Answer<'GET /accounts/{account}/stores/{store}/endpoints'>['endpoints'][number];

export const endpointsQuery = (account: string, store: string) =>
  queryOptions({
    queryKey: ['endpoints', account, store],
    queryFn: () => call('GET /accounts/{account}/stores/{store}/endpoints', { path: { account, store } }),
    refetchInterval: POLL_MS,
  });

export const refreshEndpoints = (account: string, store: string): Promise<void> =>
  queryClient.invalidateQueries(endpointsQuery(account, store));

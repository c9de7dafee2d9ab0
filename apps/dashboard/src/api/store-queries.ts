import { queryOptions } from '@tanstack/react-query';
import type { Answer } from './call.ts';
import { call } from './call.ts';
import { queryClient, storesQuery } from './queries.ts';

export type StoreDetail = Answer<'GET /accounts/{account}/stores/{store}'>;
export type ApiKey = StoreDetail['api_keys'][number];
export type Brand = Answer<'GET /accounts/{account}/stores/{store}/brand'>;

export const storeQuery = (account: string, store: string) =>
  queryOptions({
    queryKey: ['store', account, store],
    queryFn: () => call('GET /accounts/{account}/stores/{store}', { path: { account, store } }),
  });

export const brandQuery = (account: string, store: string) =>
  queryOptions({
    queryKey: ['brand', account, store],
    queryFn: () => call('GET /accounts/{account}/stores/{store}/brand', { path: { account, store } }),
  });

/** Reloads a store in the list and on its own page. */
export async function refreshStore(account: string, store: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries(storesQuery(account)),
    queryClient.invalidateQueries(storeQuery(account, store)),
  ]);
}

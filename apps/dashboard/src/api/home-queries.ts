import { queryOptions } from '@tanstack/react-query';
import type { Answer } from './call.ts';
import { call } from './call.ts';

export type Mode = 'live' | 'test';
export type Home = Answer<'GET /accounts/{account}/home'>;
export type Days = Answer<'GET /accounts/{account}/stores/{store}/days'>;

/** Figures are counted every minute. */
const POLL_MS = 60_000;

export const homeQuery = (account: string, mode: Mode) =>
  queryOptions({
    queryKey: ['home', account, mode],
    queryFn: () => call('GET /accounts/{account}/home', { path: { account }, query: { mode } }),
    refetchInterval: POLL_MS,
  });

export const daysQuery = (account: string, store: string, span: { from: string; to: string }) =>
  queryOptions({
    queryKey: ['days', account, store, span.from, span.to],
    queryFn: () => call('GET /accounts/{account}/stores/{store}/days', { path: { account, store }, query: span }),
    refetchInterval: POLL_MS,
  });

export const latestInvoicesQuery = (account: string) =>
  queryOptions({
    queryKey: ['invoices', account, 'latest'],
    queryFn: () => call('GET /accounts/{account}/invoices', { path: { account }, query: {} }),
    refetchInterval: POLL_MS,
  });

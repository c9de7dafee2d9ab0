import { queryOptions } from '@tanstack/react-query';
import type { Answer } from './call.ts';
import { call } from './call.ts';

/** Balance queries. */

const POLL_MS = 30_000;
const TOPUP_POLL_MS = 3_000;
const STATEMENT_POLL_MS = 60_000;
/** Most pages of entries per month; longer statements are exported as files. */
const MAX_PAGES = 20;

export type Balance = Answer<'GET /accounts/{account}/stores/{store}/balance'>;
export type Topup = Answer<'GET /accounts/{account}/stores/{store}/topups/{topup}'>;
export type Entry = Answer<'GET /accounts/{account}/stores/{store}/statement'>['entries'][number];
type Days = Answer<'GET /accounts/{account}/stores/{store}/days'>;
export type FeeDay = Days['days'][number];
export type ShortBalance = NonNullable<Answer<'GET /accounts/{account}/home'>['balances']>[number];

/** Balances of live stores and how long they last; none without permission. */
export const balancesQuery = (account: string) =>
  queryOptions({
    queryKey: ['balances', account],
    queryFn: async (): Promise<readonly ShortBalance[]> =>
      (await call('GET /accounts/{account}/home', { path: { account }, query: {} })).balances ?? [],
    refetchInterval: POLL_MS,
  });

export const balanceQuery = (account: string, store: string) =>
  queryOptions({
    queryKey: ['balance', account, store],
    queryFn: () => call('GET /accounts/{account}/stores/{store}/balance', { path: { account, store } }),
    refetchInterval: POLL_MS,
  });

/** A store's figures from one day to another, both as `2026-11-17` in UTC. */
export const daysQuery = (account: string, store: string, { from, to }: { from: string; to: string }) =>
  queryOptions({
    queryKey: ['days', account, store, from, to],
    queryFn: () =>
      call('GET /accounts/{account}/stores/{store}/days', { path: { account, store }, query: { from, to } }),
    refetchInterval: STATEMENT_POLL_MS,
  });

type Entries = { entries: Entry[]; isWhole: boolean; hasOlder: boolean };

/** Reads entries back to a moment; the server lists newest first only. */
async function readEntries(account: string, store: string, { from, to }: Span): Promise<Entries> {
  const found: Entry[] = [];
  let after: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const asked = { path: { account, store }, query: after === undefined ? {} : { after } };
    // Each page begins where the one before it ended.
    // oxlint-disable-next-line no-await-in-loop
    const { entries, next } = await call('GET /accounts/{account}/stores/{store}/statement', asked);
    found.push(...entries.filter(({ at }) => at >= from && at < to));
    const hasOlder = next !== null || entries.some(({ at }) => at < from);
    if (next === null || entries.some(({ at }) => at < from)) return { entries: found, isWhole: true, hasOlder };
    after = next;
  }
  return { entries: found, isWhole: false, hasOlder: true };
}

type Span = { from: number; to: number };

/** Credits, debits and top-ups of a period, in Unix seconds. */
export const entriesQuery = (account: string, store: string, span: Span) =>
  queryOptions({
    queryKey: ['entries', account, store, span.from, span.to],
    queryFn: () => readEntries(account, store, span),
    refetchInterval: STATEMENT_POLL_MS,
  });

/** A top-up, polled until it is final. */
export const topupQuery = (account: string, store: string, topup: string) =>
  queryOptions({
    queryKey: ['topup', account, store, topup],
    queryFn: () => call('GET /accounts/{account}/stores/{store}/topups/{topup}', { path: { account, store, topup } }),
    refetchInterval: ({ state }) => (state.data?.state === 'credited' ? false : TOPUP_POLL_MS),
  });

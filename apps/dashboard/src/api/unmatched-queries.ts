import { queryOptions } from '@tanstack/react-query';
import type { Answer } from './call.ts';
import { call } from './call.ts';

const POLL_MS = 10_000;
/** Poll interval until a worker has attached the payment. */
const WAIT_MS = 2_000;

type Page = Answer<'GET /accounts/{account}/unmatched'>;
export type Arrival = Page['transfers'][number];
export type Suggestion = Arrival['suggestions'][number];
export type Attachment = Answer<'GET /accounts/{account}/attachments/{attachment}'>;

/** Query parameters of the list. */
export type UnmatchedSearch = { store?: string; show?: 'aside'; after?: string };

const isAsked = (page: Page | undefined) => page?.transfers.some((one) => one.asked_for !== null) === true;

export const unmatchedQuery = (account: string, { store, show, after }: UnmatchedSearch) =>
  queryOptions({
    queryKey: ['unmatched', account, store, show, after],
    queryFn: () =>
      call('GET /accounts/{account}/unmatched', {
        path: { account },
        query: {
          dismissed: show === 'aside' ? 'yes' : 'no',
          ...(store !== undefined && { store }),
          ...(after !== undefined && { after }),
        },
      }),
    refetchInterval: ({ state }) => (isAsked(state.data) ? WAIT_MS : POLL_MS),
  });

/** One transfer, by the page that begins right above it. Null when it is in neither list. */
export const arrivalQuery = (account: string, transfer: string) =>
  queryOptions({
    queryKey: ['unmatched', account, 'one', transfer],
    queryFn: async (): Promise<Arrival | null> => {
      if (!/^\d{1,17}$/.test(transfer)) return null;
      const after = String(BigInt(transfer) + 1n);
      for (const dismissed of ['no', 'yes'] as const) {
        const page = await call('GET /accounts/{account}/unmatched', {
          path: { account },
          query: { after, dismissed },
        });
        const found = page.transfers.find((one) => one.transfer === transfer);
        if (found) return found;
      }
      return null;
    },
  });

/** An attachment request, polled until decided. */
export const attachmentQuery = (account: string, attachment: string) =>
  queryOptions({
    queryKey: ['attachment', account, attachment],
    queryFn: () => call('GET /accounts/{account}/attachments/{attachment}', { path: { account, attachment } }),
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === 'asked' ? WAIT_MS : false),
    staleTime: 0,
  });

import { queryOptions } from '@tanstack/react-query';
import { call } from './call.ts';

const POLL_MS = 1_500;

/** An event, until delivered or failed. */
export const testEventQuery = (account: string, event: string) =>
  queryOptions({
    queryKey: ['event', account, event],
    queryFn: () => call('GET /accounts/{account}/events/{event}', { path: { account, event } }),
    refetchInterval: ({ state }) =>
      state.data?.deliveries.every((one) => one.state !== 'pending') === true ? false : POLL_MS,
  });

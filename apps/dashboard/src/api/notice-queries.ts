import { queryOptions } from '@tanstack/react-query';
import type { Answer } from './call.ts';
import { call } from './call.ts';

/** Email preferences. */

export type NoticeAccount = Answer<'GET /me/notifications'>['accounts'][number];

export const noticesQuery = queryOptions({
  queryKey: ['notices'],
  queryFn: () => call('GET /me/notifications'),
});

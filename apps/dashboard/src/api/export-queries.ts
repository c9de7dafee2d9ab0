import { queryOptions } from '@tanstack/react-query';
import type { Answer, OperationName } from './call.ts';
import { call } from './call.ts';

/** Export queries. */

const POLL_MS = 2_000;
const FILE: OperationName = 'GET /accounts/{account}/exports/{export}/file';

export type Export = Answer<'GET /accounts/{account}/exports'>['exports'][number];

export const isUnderWay = ({ state }: Export): boolean => state === 'queued' || state === 'running';

/** A page of exports, polled while a file is being made. */
export const exportsQuery = (account: string, after: string | undefined) =>
  queryOptions({
    queryKey: ['exports', account, after ?? ''],
    queryFn: () =>
      call('GET /accounts/{account}/exports', { path: { account }, query: after === undefined ? {} : { after } }),
    refetchInterval: ({ state }) => (state.data?.exports.some(isUnderWay) ? POLL_MS : false),
  });

/** Download URL; the browser sends the session cookie. */
export const fileAddress = (account: string, code: string): string =>
  `/api/dashboard${FILE.slice('GET '.length).replace('{account}', account).replace('{export}', code)}`;

import { queryOptions } from '@tanstack/react-query';
import type { Answer } from './call.ts';
import { call } from './call.ts';

type OwnEvent = Answer<'GET /me/security-events'>['events'][number];

/** Team events also have the person's code. */
export type SecurityEvent = OwnEvent & { person?: string };

const queryOf = (after: string | undefined) => (after === undefined ? {} : { after });

export const ownActivityQuery = (after: string | undefined) =>
  queryOptions({
    queryKey: ['activity', 'me', after],
    queryFn: () => call('GET /me/security-events', { query: queryOf(after) }),
  });

export const teamActivityQuery = (account: string, after: string | undefined) =>
  queryOptions({
    queryKey: ['activity', account, after],
    queryFn: () => call('GET /accounts/{account}/security-events', { path: { account }, query: queryOf(after) }),
  });

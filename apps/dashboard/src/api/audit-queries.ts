import { queryOptions } from '@tanstack/react-query';
import type { Answer } from './call.ts';
import { call } from './call.ts';

export type AuditEntry = Answer<'GET /accounts/{account}/audit'>['entries'][number];

export const auditQuery = (account: string, after: string | undefined) =>
  queryOptions({
    queryKey: ['audit', account, after],
    queryFn: () =>
      call('GET /accounts/{account}/audit', { path: { account }, query: after === undefined ? {} : { after } }),
  });

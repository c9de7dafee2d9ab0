import { QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { ApiError, isCode } from './api-error.ts';
import type { Answer } from './call.ts';
import { call } from './call.ts';

const MAX_RETRIES = 1;
const FRESH_MS = 15_000;
const POLL_MS = 30_000;

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    // An owner may have just required two-factor: reload to show that page.
    onError: (cause) => {
      if (isCode(cause, 'TWO_FACTOR_REQUIRED')) void queryClient.invalidateQueries({ queryKey: ['me'], exact: true });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      // Browsers often report offline wrongly; the request itself finds out.
      networkMode: 'always',
      retry: (failures, cause) =>
        failures < MAX_RETRIES &&
        cause instanceof ApiError &&
        (cause.code === 'UNREACHABLE' || cause.code === 'TOO_MANY_REQUESTS' || cause.status >= 500),
    },
    mutations: { networkMode: 'always' },
  },
});

export type Me = Answer<'GET /me'>;
export type Store = Answer<'GET /accounts/{account}/stores'>['stores'][number];
export type Methods = Answer<'GET /accounts/{account}/stores/{store}/methods'>;
export type MethodChange = Methods['changes'][number];
export type Team = Answer<'GET /accounts/{account}/team'>;
export type Member = Team['members'][number];
export type Invitation = Team['invitations'][number];

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => call('GET /me', {}, { quiet: true }),
});

export const storesQuery = (account: string) =>
  queryOptions({
    queryKey: ['stores', account],
    queryFn: () => call('GET /accounts/{account}/stores', { path: { account } }),
  });

export const methodsQuery = (account: string, store: string) =>
  queryOptions({
    queryKey: ['methods', account, store],
    queryFn: () => call('GET /accounts/{account}/stores/{store}/methods', { path: { account, store } }),
    refetchInterval: POLL_MS,
  });

export const teamQuery = (account: string) =>
  queryOptions({
    queryKey: ['team', account],
    queryFn: () => call('GET /accounts/{account}/team', { path: { account } }),
  });

/** Whether users can sign up on their own. */
export const registrationQuery = queryOptions({
  queryKey: ['registration'],
  queryFn: () => call('GET /registration', {}, { quiet: true }),
  staleTime: Infinity,
});

export const passkeysQuery = queryOptions({
  queryKey: ['passkeys'],
  queryFn: () => call('GET /me/passkeys'),
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: () => call('GET /me/sessions'),
});

export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: () => call('POST /invitations/open', { body: { token } }, { quiet: true }),
    retry: false,
  });

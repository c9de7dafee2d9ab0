import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { withWords } from './language/language.ts';
import { root } from './root-route.tsx';

/** Routes for visitors and links in emails. Tokens are in the fragment; paths with a token are of earlier links. */

type Search = { next?: string };

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  // The page checks whether the URL is in this app: the router passes it on unchanged.
  validateSearch: ({ next }: Record<string, unknown>): Search => (typeof next === 'string' ? { next } : {}),
  component: lazyRouteComponent(() => import('./pages/sign-in-page.tsx'), 'SignInPage'),
});
const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyRouteComponent(
    withWords(['links'], () => import('./pages/sign-up-page.tsx')),
    'SignUpPage',
  ),
});
const verify = createRoute({
  getParentRoute: () => root,
  path: '/verify/{-$token}',
  component: lazyRouteComponent(
    withWords(['links'], () => import('./pages/verify-page.tsx')),
    'VerifyPage',
  ),
});
const createBusiness = createRoute({
  getParentRoute: () => root,
  path: '/create-business',
  component: lazyRouteComponent(
    withWords(['links'], () => import('./pages/create-business-page.tsx')),
    'CreateBusinessPage',
  ),
});
const forgot = createRoute({
  getParentRoute: () => root,
  path: '/forgot',
  component: lazyRouteComponent(
    withWords(['links'], () => import('./pages/forgot-page.tsx')),
    'ForgotPage',
  ),
});
const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset/{-$token}',
  component: lazyRouteComponent(
    withWords(['links'], () => import('./pages/reset-page.tsx')),
    'ResetPage',
  ),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation/{-$token}',
  component: lazyRouteComponent(
    withWords(['links'], () => import('./pages/invitation-page.tsx')),
    'InvitationPage',
  ),
});
const lock = createRoute({
  getParentRoute: () => root,
  path: '/lock/{-$token}',
  component: lazyRouteComponent(
    withWords(['links'], () => import('./pages/link-pages.tsx')),
    'LockPage',
  ),
});
const keepFactors = createRoute({
  getParentRoute: () => root,
  path: '/keep-factors/{-$token}',
  component: lazyRouteComponent(
    withWords(['links'], () => import('./pages/link-pages.tsx')),
    'KeepFactorsPage',
  ),
});
const email = createRoute({
  getParentRoute: () => root,
  path: '/email/{-$token}',
  component: lazyRouteComponent(
    withWords(['links'], () => import('./pages/link-pages.tsx')),
    'EmailPage',
  ),
});

const undo = createRoute({
  getParentRoute: () => root,
  path: '/undo',
  component: lazyRouteComponent(
    withWords(['links'], () => import('./pages/undo-page.tsx')),
    'UndoPage',
  ),
});
const stopRestore = createRoute({
  getParentRoute: () => root,
  path: '/undo/stop',
  component: lazyRouteComponent(
    withWords(['links'], () => import('./pages/link-pages.tsx')),
    'StopRestorePage',
  ),
});

export const visitors = [
  signIn,
  signUp,
  verify,
  createBusiness,
  forgot,
  reset,
  invitation,
  lock,
  keepFactors,
  email,
  undo,
  stopRestore,
] as const;

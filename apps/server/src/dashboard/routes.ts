import { meRoutes } from './me-routes.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import type { DashboardRoute } from './route.ts';
import { sessionRoutes } from './session-routes.ts';
import { storeRoutes } from './store-routes.ts';
import { teamRoutes } from './team-routes.ts';

/** Every route of the dashboard's server: what is not listed here does not exist. */
export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  ...sessionRoutes,
  ...passkeyRoutes,
  ...meRoutes,
  ...storeRoutes,
  ...teamRoutes,
];

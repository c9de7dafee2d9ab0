import { brandRoutes } from './brand-routes.ts';
import { businessRoutes } from './business-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { invoiceRoutes } from './invoice-routes.ts';
import { balanceRoutes } from './balance-routes.ts';
import { exportRoutes } from './export-routes.ts';
import { homeRoutes } from './home-routes.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { endpointRoutes } from './endpoint-routes.ts';
import { meRoutes } from './me-routes.ts';
import { methodRoutes } from './method-routes.ts';
import { operatorRoutes } from './operator-routes.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { describeDashboard } from './describe-dashboard.ts';
import { registrationRoutes } from './registration-routes.ts';
import type { DashboardRoute } from './route.ts';
import { personRoute } from './route.ts';
import { sandboxRoutes } from './sandbox-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { storeRoutes } from './store-routes.ts';
import { takeoverRoutes } from './takeover-routes.ts';
import { teamRoutes } from './team-routes.ts';
import { unmatchedRoutes } from './unmatched-routes.ts';

const described = (): ReturnType<typeof describeDashboard> => describeDashboard(DASHBOARD_ROUTES);

/** All routes of the dashboard's server. */
export const DASHBOARD_ROUTES: readonly DashboardRoute[] = [
  ...sessionRoutes,
  ...registrationRoutes,
  ...businessRoutes,
  ...takeoverRoutes,
  ...passkeyRoutes,
  ...meRoutes,
  ...homeRoutes,
  ...storeRoutes,
  ...keyRoutes,
  ...brandRoutes,
  ...methodRoutes,
  ...balanceRoutes,
  ...teamRoutes,
  ...invoiceRoutes,
  ...sandboxRoutes,
  ...auditRoutes,
  ...exportRoutes,
  ...deliveryRoutes,
  ...endpointRoutes,
  ...unmatchedRoutes,
  ...operatorRoutes,
  personRoute({ method: 'GET', url: '/openapi.json', summary: 'Read this description', raw: true }, async () =>
    described(),
  ),
];

import type { ExportContext } from '../exports/request-export.ts';
import type { Database } from '../db/database.ts';
import type { Networks } from '../networks/networks.ts';
import type { PeopleContext, RegistrationContext } from '../people/people-context.ts';

/** What the dashboard's routes need. */
export type DashboardContext = PeopleContext &
  RegistrationContext &
  ExportContext & {
    /** The address at which people reach the dashboard; links and cookies are made for it alone. */
    dashboardUrl: string;
    /** The plan of stores that members create; undefined where only operators create live and test stores. */
    storePlan: string | undefined;
    /** The database for lists and reports, which writes nothing. */
    views: Database;
    networks: Networks;
    /** The address of the checkout pages; undefined where it is not configured: then links are not shown and top-ups not offered. */
    checkoutUrl: string | undefined;
    /** Whether webhooks may go to private IP addresses; for development only. */
    privateCallbacks: boolean;
  };

import type { ExportContext } from '../exports/request-export.ts';
import type { Database } from '../db/database.ts';
import type { LiveApproval } from '../merchants/own-merchant.ts';
import type { Networks } from '../networks/networks.ts';
import type { PeopleContext, RegistrationContext } from '../people/people-context.ts';

/** Dependencies of the dashboard's routes. */
export type DashboardContext = PeopleContext &
  RegistrationContext &
  ExportContext & {
    /** The dashboard's URL, for links and cookies. */
    dashboardUrl: string;
    /** The plan of stores that members create; undefined where only operators create stores. */
    storePlan: string | undefined;
    /** Who approves merchants that users open for live stores. */
    approval: LiveApproval;
    /** Possible shards of merchants that users open; all by default. */
    shards: string | undefined;
    /** The read-only database for lists and reports. */
    views: Database;
    networks: Networks;
    /** The checkout's URL; without it there are no links and no top-ups. */
    checkoutUrl: string | undefined;
    /** Allows private IP addresses for webhooks; development only. */
    privateCallbacks: boolean;
  };

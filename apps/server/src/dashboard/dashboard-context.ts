import type { Database } from '../db/database.ts';
import type { PeopleContext } from '../people/people-context.ts';

/** What the dashboard's routes need. */
export type DashboardContext = PeopleContext & {
  /** The address at which people reach the dashboard; links and cookies are made for it alone. */
  dashboardUrl: string;
  /** The database for lists and reports, which writes nothing. */
  views: Database;
};

import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import type { Variables } from './chain-config.ts';
import { webAddress } from './chain-config.ts';
import type { Config } from './config.ts';
import { mailEnvironment, readMailConfig } from './mail-config.ts';
import type { MailServer } from './mail/mail-server.ts';
import type { RegistrationPolicy } from './people/registration.ts';
import { REGISTRATION_POLICIES } from './people/registration.ts';
import {
  CALLBACKS_FAULT,
  ConfigError,
  environment,
  PACE_FAULT,
  parseOrExplain,
  portNumber,
  ROLE_FAULT,
  VARIABLES,
} from './config.ts';

/** Settings of the dashboard's server. */

const dashboardEnvironment = environment
  .pick({
    COUNTERFOIL_DATABASE_URL: true,
    COUNTERFOIL_DATABASE_CONNECTIONS: true,
    COUNTERFOIL_ANY_DATABASE_ROLE: true,
    COUNTERFOIL_ENVIRONMENT: true,
    COUNTERFOIL_HOST: true,
    COUNTERFOIL_OPERATIONS_HOST: true,
    COUNTERFOIL_TRUSTED_PROXIES: true,
    COUNTERFOIL_LOG_LEVEL: true,
    COUNTERFOIL_CLOCK_PACE: true,
    COUNTERFOIL_PRIVATE_CALLBACKS: true,
  })
  .extend({
    ...mailEnvironment,
    COUNTERFOIL_CHECKOUT_URL: environment.shape.COUNTERFOIL_CHECKOUT_URL.optional(),
    COUNTERFOIL_KEY_RING_FILE: z.string(),
    COUNTERFOIL_VIEWS_DATABASE_URL: environment.shape.COUNTERFOIL_DATABASE_URL,
    COUNTERFOIL_DASHBOARD_URL: webAddress,
    COUNTERFOIL_STORE_PLAN: z.string().min(1).optional(),
    COUNTERFOIL_REGISTRATION: z.enum(REGISTRATION_POLICIES).default('closed'),
    COUNTERFOIL_DASHBOARD_PORT: portNumber.default(3003),
    COUNTERFOIL_DASHBOARD_OPERATIONS_PORT: portNumber.default(3004),
  });

type DashboardConfig = Pick<
  Config,
  | 'databaseUrl'
  | 'databaseConnections'
  | 'anyDatabaseRole'
  | 'production'
  | 'host'
  | 'port'
  | 'operationsHost'
  | 'operationsPort'
  | 'trustedProxies'
  | 'logLevel'
  | 'clockPace'
  | 'privateCallbacks'
> & {
  keyRingFile: string;
  /** The database in the role that only looks. */
  viewsDatabaseUrl: string;
  dashboardUrl: string;
  /** The address of the checkout pages, for links to invoices and where top-ups are paid. */
  checkoutUrl: string | undefined;
  /** The plan of stores that members create; undefined where only operators create stores. */
  storePlan: string | undefined;
  /** Who may become a person without an operator. */
  registration: RegistrationPolicy;
  /** The server that mails are sent by; undefined when none is configured. */
  mailServer: MailServer | undefined;
};

/** Lists why an address cannot be the dashboard's: passkeys belong to a host name, and cookies to one host. */
function findDashboardFaults(dashboardUrl: string, checkoutUrl: string | undefined, production: boolean): string[] {
  const { hostname, pathname, protocol } = new URL(dashboardUrl);
  const name = 'COUNTERFOIL_DASHBOARD_URL';
  const isShared = checkoutUrl !== undefined && new URL(checkoutUrl).hostname === hostname;
  return [
    ...(ipaddr.isValid(hostname.replace(/^\[|\]$/g, ''))
      ? [`${name}: must be a host name; passkeys know no IP addresses`]
      : []),
    ...(pathname === '/' ? [] : [`${name}: must have no path`]),
    ...(!production && protocol === 'http:' && hostname !== 'localhost'
      ? [`${name}: must be https, but for localhost`]
      : []),
    ...(production && isShared ? [`${name}: must not be the checkout's host`] : []),
  ];
}

export function readDashboardConfig(variables: Variables = VARIABLES): DashboardConfig {
  const values = parseOrExplain(dashboardEnvironment, variables);
  const production = values.COUNTERFOIL_ENVIRONMENT === 'production';
  const anyDatabaseRole = values.COUNTERFOIL_ANY_DATABASE_ROLE === 'allow';
  const { COUNTERFOIL_DASHBOARD_URL: dashboardUrl, COUNTERFOIL_CHECKOUT_URL: checkoutUrl } = values;
  const faults = findDashboardFaults(dashboardUrl, checkoutUrl, production);
  if (production && values.COUNTERFOIL_CLOCK_PACE) faults.push(PACE_FAULT);
  const privateCallbacks = values.COUNTERFOIL_PRIVATE_CALLBACKS === 'allow';
  if (production && privateCallbacks) faults.push(CALLBACKS_FAULT);
  if (production && anyDatabaseRole) faults.push(ROLE_FAULT);
  const { mailServer, mailFaults } = readMailConfig({ ...values, COUNTERFOIL_DASHBOARD_URL: dashboardUrl }, production);
  faults.push(...mailFaults);
  if (faults.length > 0) throw new ConfigError(faults);
  return {
    databaseUrl: values.COUNTERFOIL_DATABASE_URL,
    viewsDatabaseUrl: values.COUNTERFOIL_VIEWS_DATABASE_URL,
    databaseConnections: values.COUNTERFOIL_DATABASE_CONNECTIONS,
    anyDatabaseRole,
    production,
    host: values.COUNTERFOIL_HOST,
    port: values.COUNTERFOIL_DASHBOARD_PORT,
    operationsHost: values.COUNTERFOIL_OPERATIONS_HOST,
    operationsPort: values.COUNTERFOIL_DASHBOARD_OPERATIONS_PORT,
    trustedProxies: values.COUNTERFOIL_TRUSTED_PROXIES,
    logLevel: values.COUNTERFOIL_LOG_LEVEL,
    clockPace: values.COUNTERFOIL_CLOCK_PACE,
    keyRingFile: values.COUNTERFOIL_KEY_RING_FILE,
    dashboardUrl,
    checkoutUrl,
    privateCallbacks,
    storePlan: values.COUNTERFOIL_STORE_PLAN,
    registration: values.COUNTERFOIL_REGISTRATION,
    mailServer,
  };
}

import ipaddr from 'ipaddr.js';
import type { MailServer } from '../mail/mail-server.ts';
import type { LiveApproval } from '../merchants/own-merchant.ts';
import type { RegistrationPolicy } from '../people/registration.ts';
import { VARIABLES } from './environment.ts';
import { findCheckoutFaults, findPortFaults } from './addresses.ts';
import { parseSettings, refuseFaults } from './parse-settings.ts';
import { DASHBOARD_SETTINGS } from './process-settings.ts';
import type { ApiConfig } from './read-api-config.ts';
import { findRegistrationFaults, readMailServer } from './read-mail-server.ts';

type DashboardConfig = Pick<
  ApiConfig,
  | 'databaseUrl'
  | 'databaseConnections'
  | 'databaseWaitMs'
  | 'anyDatabaseRole'
  | 'production'
  | 'host'
  | 'port'
  | 'operationsHost'
  | 'operationsPort'
  | 'drainMs'
  | 'trustedProxies'
  | 'logLevel'
  | 'clockPace'
  | 'privateCallbacks'
> & {
  keyRingFile: string;
  viewsDatabaseUrl: string;
  dashboardUrl: string;
  /** The URL of checkout pages, for links to invoices and top-ups. */
  checkoutUrl: string | undefined;
  /** The plan of stores that members create; undefined where only operators create stores. */
  storePlan: string | undefined;
  /** Who approves merchants that users open for live stores. */
  approval: LiveApproval;
  shards: string | undefined;
  /** Who can create an account without an operator. */
  registration: RegistrationPolicy;
  mailServer: MailServer | undefined;
};

/** A host name without trailing dot. */
const hostOf = (url: string) => new URL(url).hostname.replace(/\.$/, '');

/** Why an address cannot be the dashboard's: passkeys and cookies belong to one host name. */
function findDashboardFaults(dashboardUrl: string, checkoutUrl: string | undefined, production: boolean): string[] {
  const { hostname, pathname, protocol } = new URL(dashboardUrl);
  const name = 'COUNTERFOIL_DASHBOARD_URL';
  const isShared = checkoutUrl !== undefined && hostOf(checkoutUrl) === hostOf(dashboardUrl);
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

export function readDashboardConfig(given = VARIABLES): DashboardConfig {
  const { values, variables, production, faults } = parseSettings(DASHBOARD_SETTINGS, given);
  const { COUNTERFOIL_CHECKOUT_URL: checkoutUrl } = values;
  const dashboardUrl: string | undefined = values.COUNTERFOIL_DASHBOARD_URL;
  if (dashboardUrl !== undefined) faults.push(...findDashboardFaults(dashboardUrl, checkoutUrl, production));
  const { mailServer, mailFaults } = readMailServer(values, production);
  refuseFaults([
    ...faults,
    ...mailFaults,
    ...findCheckoutFaults(checkoutUrl, production),
    ...(production ? findRegistrationFaults(values.COUNTERFOIL_REGISTRATION, variables) : []),
    ...findPortFaults(
      { host: values.COUNTERFOIL_HOST, port: values.COUNTERFOIL_DASHBOARD_PORT },
      {
        name: 'COUNTERFOIL_DASHBOARD_OPERATIONS_PORT',
        host: values.COUNTERFOIL_OPERATIONS_HOST,
        port: values.COUNTERFOIL_DASHBOARD_OPERATIONS_PORT,
      },
    ),
  ]);
  return {
    databaseUrl: values.COUNTERFOIL_DATABASE_URL,
    viewsDatabaseUrl: values.COUNTERFOIL_VIEWS_DATABASE_URL,
    databaseConnections: values.COUNTERFOIL_DATABASE_CONNECTIONS,
    databaseWaitMs: values.COUNTERFOIL_DATABASE_WAIT_SECONDS * 1_000,
    anyDatabaseRole: values.COUNTERFOIL_ANY_DATABASE_ROLE === 'allow',
    production,
    host: values.COUNTERFOIL_HOST,
    port: values.COUNTERFOIL_DASHBOARD_PORT,
    operationsHost: values.COUNTERFOIL_OPERATIONS_HOST,
    operationsPort: values.COUNTERFOIL_DASHBOARD_OPERATIONS_PORT,
    drainMs: values.COUNTERFOIL_DRAIN_SECONDS * 1_000,
    trustedProxies: values.COUNTERFOIL_TRUSTED_PROXIES,
    logLevel: values.COUNTERFOIL_LOG_LEVEL,
    clockPace: values.COUNTERFOIL_CLOCK_PACE,
    keyRingFile: values.COUNTERFOIL_KEY_RING_FILE,
    dashboardUrl: values.COUNTERFOIL_DASHBOARD_URL,
    checkoutUrl,
    privateCallbacks: values.COUNTERFOIL_PRIVATE_CALLBACKS === 'allow',
    storePlan: values.COUNTERFOIL_STORE_PLAN,
    approval: values.COUNTERFOIL_LIVE_APPROVAL,
    shards: values.COUNTERFOIL_SHARDS,
    registration: values.COUNTERFOIL_REGISTRATION,
    mailServer,
  };
}

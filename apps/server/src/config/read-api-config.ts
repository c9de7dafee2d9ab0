import type { ClockPace } from '../lib/clock.ts';
import type { InspectedChain } from './chain-settings.ts';
import { readInspected } from './chain-settings.ts';
import { VARIABLES } from './environment.ts';
import { findCheckoutFaults, findPortFaults } from './addresses.ts';
import { parseSettings, refuseFaults } from './parse-settings.ts';
import { API_SETTINGS } from './process-settings.ts';

export type ApiConfig = {
  databaseUrl: string;
  databaseConnections: number;
  /** Wait for a database connection. */
  databaseWaitMs: number;
  /** Allows any database role; development only. */
  anyDatabaseRole: boolean;
  production: boolean;
  host: string;
  port: number;
  /** Host of health and metrics, which are readable by anyone who reaches it. */
  operationsHost: string;
  operationsPort: number;
  /** How long a stopping process continues to serve. */
  drainMs: number;
  checkoutUrl: string;
  trustedProxies: string[];
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Networks whose nodes are asked when a payer says that they paid. */
  inspected: InspectedChain[];
  /** Most checkout streams per process. */
  checkoutViewers: number;
  /** A faster clock, for tests and demonstrations. */
  clockPace: ClockPace | undefined;
  /** Allows private addresses for webhooks; development only. */
  privateCallbacks: boolean;
};

export function readApiConfig(given = VARIABLES): ApiConfig {
  const { values, variables, production, faults } = parseSettings(API_SETTINGS, given);
  refuseFaults([
    ...faults,
    ...findCheckoutFaults(values.COUNTERFOIL_CHECKOUT_URL, production),
    ...findPortFaults(
      { host: values.COUNTERFOIL_HOST, port: values.COUNTERFOIL_PORT },
      {
        name: 'COUNTERFOIL_OPERATIONS_PORT',
        host: values.COUNTERFOIL_OPERATIONS_HOST,
        port: values.COUNTERFOIL_OPERATIONS_PORT,
      },
    ),
  ]);
  return {
    databaseUrl: values.COUNTERFOIL_DATABASE_URL,
    databaseConnections: values.COUNTERFOIL_DATABASE_CONNECTIONS,
    databaseWaitMs: values.COUNTERFOIL_DATABASE_WAIT_SECONDS * 1_000,
    anyDatabaseRole: values.COUNTERFOIL_ANY_DATABASE_ROLE === 'allow',
    production,
    host: values.COUNTERFOIL_HOST,
    port: values.COUNTERFOIL_PORT,
    operationsHost: values.COUNTERFOIL_OPERATIONS_HOST,
    operationsPort: values.COUNTERFOIL_OPERATIONS_PORT,
    drainMs: values.COUNTERFOIL_DRAIN_SECONDS * 1_000,
    checkoutUrl: values.COUNTERFOIL_CHECKOUT_URL,
    trustedProxies: values.COUNTERFOIL_TRUSTED_PROXIES,
    logLevel: values.COUNTERFOIL_LOG_LEVEL,
    inspected: readInspected(variables),
    checkoutViewers: values.COUNTERFOIL_CHECKOUT_VIEWERS,
    clockPace: values.COUNTERFOIL_CLOCK_PACE,
    privateCallbacks: values.COUNTERFOIL_PRIVATE_CALLBACKS === 'allow',
  };
}

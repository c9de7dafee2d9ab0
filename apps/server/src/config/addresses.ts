import ipaddr from 'ipaddr.js';
import { isIP } from 'node:net';
import { isPublicBase } from '../lib/plain-url.ts';

/** Rules about addresses, shared by several processes. Undefined values are not set or already refused. */

const CHECKOUT_FAULT = 'COUNTERFOIL_CHECKOUT_URL: must be an https address without a user, a query or a fragment';

export function findCheckoutFaults(checkoutUrl: string | undefined, production: boolean): string[] {
  return production && checkoutUrl !== undefined && !isPublicBase(checkoutUrl) ? [CHECKOUT_FAULT] : [];
}

/** Whether this host means every address. */
export function isEveryAddress(host: string | undefined): boolean {
  return host !== undefined && isIP(host) !== 0 && ipaddr.process(host).range() === 'unspecified';
}

type Listening = { host: string | undefined; port: number | undefined };
type OperationsListening = Listening & { name: string };

export function findPortFaults(served: Listening, operations: OperationsListening): string[] {
  const isSame = served.port !== undefined && served.port !== 0 && served.port === operations.port;
  const meet = served.host === operations.host || [served, operations].some(({ host }) => isEveryAddress(host));
  return isSame && meet ? [`${operations.name}: must be another port than the one that is served`] : [];
}

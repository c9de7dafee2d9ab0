import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';

/** A URL that members set up for a store, with a choice of event types and a secret of its own. */

const CODE_LENGTH = 12;

export const MAX_ENDPOINT_URL = 500;
/** Constraints of the table hold this too. */
export const MAX_ENDPOINTS = 10;

export function createEndpointCode(): string {
  return `EP-${randomText(UPPER_ALPHANUMERIC, CODE_LENGTH)}`;
}

export function endpointSecretPurpose(endpointId: bigint): string {
  return `webhook_endpoint_secret:${endpointId}`;
}

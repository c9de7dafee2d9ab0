import { isCallbackPort } from '../lib/callback-port.ts';
import { mayBePublic } from '../lib/public-address.ts';

/** Why a store's webhooks cannot be sent to a URL. */
export type CallbackFault = 'insecure' | 'port' | 'private';

/** Checks a callback URL without resolving its host name, which is resolved and checked at every webhook attempt. */
export function findCallbackFault(
  url: string,
  { httpsCallbacksOnly }: { httpsCallbacksOnly: boolean },
  privateCallbacks: boolean,
): CallbackFault | undefined {
  if (httpsCallbacksOnly && !/^https:/i.test(url)) return 'insecure';
  if (!isCallbackPort(new URL(url))) return 'port';
  if (!privateCallbacks && !mayBePublic(new URL(url))) return 'private';
  return undefined;
}

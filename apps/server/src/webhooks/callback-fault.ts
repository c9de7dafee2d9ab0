import { mayBePublic } from '../lib/public-address.ts';
import { findUrlFault } from '../lib/text.ts';

/** Why webhooks cannot be sent to a URL. */
export type CallbackFault = 'form' | 'insecure' | 'port' | 'private';

/** Checks a callback URL without DNS; its host is resolved and checked at every attempt. */
export function findCallbackFault(
  url: string,
  { httpsCallbacksOnly }: { httpsCallbacksOnly: boolean },
  privateCallbacks: boolean,
): CallbackFault | undefined {
  const fault = findUrlFault(url);
  if (fault === 'form') return 'form';
  if (httpsCallbacksOnly && !/^https:/i.test(url)) return 'insecure';
  if (fault === 'port') return 'port';
  if (!privateCallbacks && !mayBePublic(new URL(url))) return 'private';
  return undefined;
}

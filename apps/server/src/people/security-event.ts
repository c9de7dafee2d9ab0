import { createHash } from 'node:crypto';
import type { Origin } from '../lib/actor.ts';
import { clientBucket, clientNetworks } from '../lib/client-address.ts';

/**
 * Security events: sign-ins that succeeded or failed, and what people did to their own factors. They are no audit
 * entries, because there may be many and anybody can cause them. Pure.
 */

export const SECURITY_EVENT_KINDS = [
  'sign-in',
  'sign-in-refused',
  'factor-refused',
  'step-up',
  'sign-out',
  'session-revoked',
  'signed-up',
  'password-set',
  'reset-asked',
  'address-change-asked',
  'address-changed',
  'totp-added',
  'totp-removed',
  'passkey-added',
  'passkey-removed',
  'recovery-codes-drawn',
  'recovery-code-used',
  'factors-kept',
  'factors-reset',
  'undo-opened',
  'restore-requested',
  'restore-stopped',
  'credentials-restored',
] as const;
export type SecurityEventKind = (typeof SECURITY_EVENT_KINDS)[number];

/** How long security events are kept: as long as a takeover may stay unnoticed, and not longer, for their IP addresses. */
const KEPT_DAYS = 180;
const DAY_MS = 86_400_000;

/** The moment before which events are deleted, and a browser counts as new again. */
export const keptSince = (now: Date) => new Date(now.getTime() - KEPT_DAYS * DAY_MS);

const MARK_BYTES = 4;

/** Short hash of an email address that was tried: enough to count distinct addresses, too short to identify one. */
export const mailMark = (mailNormal: string) =>
  createHash('sha256').update(mailNormal).digest().subarray(0, MARK_BYTES);

/** The network that a browser is expected to come back to: a /24 of IPv4, a /48 of IPv6. */
function neighborhood(address: string): string {
  const widest = clientNetworks(address).at(-1)?.name ?? '';
  return widest.replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24');
}

/** A browser by its name and the network that it comes from. An update of the browser changes the numbers alone. */
const browserOf = ({ address, agent }: Origin) => `${agent.replaceAll(/\d+/g, '')} ${neighborhood(address)}`;

/** Whether a browser, as far as it can be recognized, was among those of earlier sign-ins. */
export function isKnownBrowser(earlier: readonly Origin[], origin: Origin): boolean {
  return earlier.some((one) => browserOf(one) === browserOf(origin));
}

/** The period in which refused sign-ins are counted together. */
export const SPRAYING_MINUTES = 60;
/**
 * Mail addresses with a refused sign-in from one network address in that period. Behind that of an office or a carrier
 * are many people, of whom hardly twenty mistype their password in the same hour.
 */
export const SPRAYED_FROM_ADDRESS = 20;
/**
 * Mail addresses with a refused sign-in from anywhere in that period. Where ten thousand people sign in every working day and
 * one in ten mistypes, there are about 125 in an hour.
 */
export const SPRAYED_IN_ALL = 250;

type RefusedSignIn = { address: string; mark: string };
type Spraying = { mails: number; networks: number; busiest: { network: string; mails: number } };

/** Whether refused sign-ins look like one password that is tried for many mail addresses; undefined when they do not. */
export function findSpraying(refused: readonly RefusedSignIn[]): Spraying | undefined {
  const marksOf = new Map<string, Set<string>>();
  for (const { address, mark } of refused) {
    const network = clientBucket(address);
    marksOf.set(network, (marksOf.get(network) ?? new Set()).add(mark));
  }
  const mails = new Set(refused.map(({ mark }) => mark)).size;
  let busiest = { network: '', mails: 0 };
  for (const [network, { size }] of marksOf) if (size > busiest.mails) busiest = { network, mails: size };
  if (busiest.mails < SPRAYED_FROM_ADDRESS && mails < SPRAYED_IN_ALL) return undefined;
  return { mails, networks: marksOf.size, busiest };
}

import { createHash } from 'node:crypto';
import { DAY_MS } from '@counterfoil/core/duration.ts';
import type { Origin } from '../lib/actor.ts';
import { clientBucket, clientNetworks } from '../lib/client-address.ts';

/** Sign-ins, refused ones and two-factor changes. No audit entries, because anyone can cause many. */

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

/** As long as a takeover may stay unnoticed, and not longer, because events contain IP addresses. */
const KEPT_DAYS = 180;

export const keptSince = (now: Date) => new Date(now.getTime() - KEPT_DAYS * DAY_MS);

const MARK_BYTES = 4;

/** Short hash of an attempted email address: enough to count distinct addresses, too short to identify one. */
export const mailMark = (mailNormal: string) =>
  createHash('sha256').update(mailNormal).digest().subarray(0, MARK_BYTES);

/** The network that a browser is expected to return from: a /24 of IPv4, a /48 of IPv6. */
function neighborhood(address: string): string {
  const widest = clientNetworks(address).at(-1)?.name ?? '';
  return widest.replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24');
}

/** A browser by name and network; updates change only the numbers. */
const browserOf = ({ address, agent }: Origin) => `${agent.replaceAll(/\d+/g, '')} ${neighborhood(address)}`;

/** Whether a browser was used in an earlier sign-in. */
export function isKnownBrowser(earlier: readonly Origin[], origin: Origin): boolean {
  return earlier.some((one) => browserOf(one) === browserOf(origin));
}

export const SPRAYING_MINUTES = 60;
/** Of the many users behind an office or carrier, hardly twenty mistype their password within an hour. */
export const SPRAYED_FROM_ADDRESS = 20;
/** Ten thousand daily users, of whom one in ten mistypes, cause about 125 an hour. */
export const SPRAYED_IN_ALL = 250;

type RefusedSignIn = { address: string; mark: string };
type Spraying = { mails: number; networks: number; busiest: { network: string; mails: number } };

/** Detects one password that is attempted for many users; undefined if there is none. */
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

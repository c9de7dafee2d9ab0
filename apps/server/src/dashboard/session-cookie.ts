import { DAY_SECONDS } from '@counterfoil/core/duration.ts';
import { DEVICE_DAYS } from '../people/device.ts';

/**
 * The session cookie. The prefix `__Host-` keeps other hosts of the same site from setting it. Browsers require https
 * for it, so a dashboard at http://localhost uses another name.
 */

const SECURE_NAME = '__Host-counterfoil';
const PLAIN_NAME = 'counterfoil_dev';
const SECURE_DEVICE_NAME = '__Host-counterfoil-device';
const PLAIN_DEVICE_NAME = 'counterfoil_device_dev';
const MAX_COOKIES = 50;

const isSecure = (dashboardUrl: string) => new URL(dashboardUrl).protocol === 'https:';
const nameFor = (dashboardUrl: string) => (isSecure(dashboardUrl) ? SECURE_NAME : PLAIN_NAME);
const deviceNameFor = (dashboardUrl: string) => (isSecure(dashboardUrl) ? SECURE_DEVICE_NAME : PLAIN_DEVICE_NAME);

function writeCookie(dashboardUrl: string, name: string, token: string): string {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax', ...(isSecure(dashboardUrl) ? ['Secure'] : [])];
  return [`${name}=${token}`, ...attributes].join('; ');
}

export function writeSessionCookie(dashboardUrl: string, token: string): string {
  return writeCookie(dashboardUrl, nameFor(dashboardUrl), token);
}

/** The set-cookie header for the token of a known browser. */
export function writeDeviceCookie(dashboardUrl: string, token: string): string {
  return `${writeCookie(dashboardUrl, deviceNameFor(dashboardUrl), token)}; Max-Age=${DEVICE_DAYS * DAY_SECONDS}`;
}

export function clearSessionCookie(dashboardUrl: string): string {
  return `${writeSessionCookie(dashboardUrl, '')}; Max-Age=0`;
}

/** A request's token; undefined when there is none, or several, of which one may be another user's. */
export function readSessionCookie(dashboardUrl: string, header: string | undefined): string | undefined {
  return readCookie(`${nameFor(dashboardUrl)}=`, header);
}

/** The token of a known browser; undefined as above. */
export function readDeviceCookie(dashboardUrl: string, header: string | undefined): string | undefined {
  return readCookie(`${deviceNameFor(dashboardUrl)}=`, header);
}

function readCookie(name: string, header: string | undefined): string | undefined {
  const found = (header ?? '')
    .split(';', MAX_COOKIES)
    .map((part) => part.trim())
    .filter((part) => part.startsWith(name));
  return found.length === 1 ? found[0]?.slice(name.length) : undefined;
}

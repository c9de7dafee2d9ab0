import { DEVICE_DAYS } from '../people/device.ts';

/**
 * The cookie in which a browser keeps the session's token. Pure. Its name begins with `__Host-`, so that no other host
 * of the same site can set it; browsers accept that name with https only, so a dashboard at http://localhost has
 * another.
 */

const SECURE_NAME = '__Host-counterfoil';
const PLAIN_NAME = 'counterfoil_dev';
const SECURE_DEVICE_NAME = '__Host-counterfoil-device';
const PLAIN_DEVICE_NAME = 'counterfoil_device_dev';
const MAX_COOKIES = 50;
const SECONDS_PER_DAY = 86_400;

const isSecure = (dashboardUrl: string) => new URL(dashboardUrl).protocol === 'https:';
const nameFor = (dashboardUrl: string) => (isSecure(dashboardUrl) ? SECURE_NAME : PLAIN_NAME);
const deviceNameFor = (dashboardUrl: string) => (isSecure(dashboardUrl) ? SECURE_DEVICE_NAME : PLAIN_DEVICE_NAME);

function writeCookie(dashboardUrl: string, name: string, token: string): string {
  const attributes = ['Path=/', 'HttpOnly', 'SameSite=Lax', ...(isSecure(dashboardUrl) ? ['Secure'] : [])];
  return [`${name}=${token}`, ...attributes].join('; ');
}

/** The set-cookie header that keeps a token until the browser ends. */
export function writeSessionCookie(dashboardUrl: string, token: string): string {
  return writeCookie(dashboardUrl, nameFor(dashboardUrl), token);
}

/** The set-cookie header by which the browser is known after its session. */
export function writeDeviceCookie(dashboardUrl: string, token: string): string {
  return `${writeCookie(dashboardUrl, deviceNameFor(dashboardUrl), token)}; Max-Age=${DEVICE_DAYS * SECONDS_PER_DAY}`;
}

/** The set-cookie header that removes the token from the browser. */
export function clearSessionCookie(dashboardUrl: string): string {
  return `${writeSessionCookie(dashboardUrl, '')}; Max-Age=0`;
}

/** The token of a request; undefined when it has none, or more than one, of which either may be somebody else's. */
export function readSessionCookie(dashboardUrl: string, header: string | undefined): string | undefined {
  return readCookie(`${nameFor(dashboardUrl)}=`, header);
}

/** The token by which a browser is known; undefined as for the session's. */
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

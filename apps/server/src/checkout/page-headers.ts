import type { FastifyRequest } from 'fastify';

/** Headers that only allow our script, our pictures and our host. */

export const PAGE_HEADERS = {
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()',
};

/** `sources` are the hashes of inline styles, from `styleSource`. */
export function contentPolicy(sources: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", ...sources].join(' '),
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/**
 * Whether a POST comes from our own page: by sec-fetch-site, in old browsers by origin. With neither it is not from a
 * browser, so no other site can have caused it.
 */
export function isOwnRequest(request: FastifyRequest, checkoutUrl: string): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = request.headers;
  if (origin === undefined) return true;
  return origin === new URL(checkoutUrl).origin || origin === `${request.protocol}://${request.host}`;
}

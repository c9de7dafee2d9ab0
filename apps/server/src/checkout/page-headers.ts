import type { FastifyRequest } from 'fastify';

/** What a browser may do with our pages: run our script, show our picture, talk to us, and nothing else. */

export const PAGE_HEADERS = {
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()',
};

/** `sources` name the page's inline styles by their hashes, as `styleSource` writes them. */
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
 * Whether a change comes from our own page. Browsers say where a request began; only old ones do not, and those name the
 * origin. What says neither is no browser, and can do no more than its sender could without us.
 */
export function isOwnRequest(request: FastifyRequest, checkoutUrl: string): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin } = request.headers;
  if (origin === undefined) return true;
  return origin === new URL(checkoutUrl).origin || origin === `${request.protocol}://${request.host}`;
}

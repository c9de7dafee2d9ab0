/**
 * Whether a request comes from the dashboard's own page. Pure. A browser sends the session's cookie with every request,
 * whichever site made it send the request, so a request that changes something must show where it comes from: by
 * sec-fetch-site, or in old browsers by the origin. Without either it is refused.
 */

type RequestOrigin = { secFetchSite: string | undefined; origin: string | undefined };

export function isOwnRequest({ secFetchSite, origin }: RequestOrigin, dashboardUrl: string): boolean {
  // A page of another site cannot set or remove these headers. Both must be right where both are sent.
  if (origin !== undefined && origin !== new URL(dashboardUrl).origin) return false;
  return secFetchSite === undefined ? origin !== undefined : secFetchSite === 'same-origin';
}

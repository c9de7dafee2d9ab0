/**
 * Whether a request comes from the dashboard's own page. Browsers send the session cookie with requests caused by any
 * site, so a change requires sec-fetch-site or, in old browsers, the origin. Without either it is refused.
 */

type RequestOrigin = { secFetchSite: string | undefined; origin: string | undefined };

export function isOwnRequest({ secFetchSite, origin }: RequestOrigin, dashboardUrl: string): boolean {
  // Pages of other sites cannot set or remove these headers. If both are sent, both must be right.
  if (origin !== undefined && origin !== new URL(dashboardUrl).origin) return false;
  return secFetchSite === undefined ? origin !== undefined : secFetchSite === 'same-origin';
}

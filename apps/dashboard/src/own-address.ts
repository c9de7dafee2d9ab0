/**
 * The path within this app that an address names; undefined for an address that leads elsewhere. It is parsed as the
 * browser would: tabs, backslashes and two slashes lead to other hosts.
 */
export function ownPath(address: unknown, origin: string): string | undefined {
  const url = typeof address === 'string' ? URL.parse(address, origin) : null;
  if (url?.origin !== origin) return undefined;
  const path = `${url.pathname}${url.search}${url.hash}`;
  return path.startsWith('//') ? undefined : path;
}

/**
 * The path of a URL in this app; undefined for other URLs. Parsed like the browser: tabs, backslashes and two slashes
 * lead to other hosts.
 */
export function ownPath(address: unknown, origin: string): string | undefined {
  const url = typeof address === 'string' ? URL.parse(address, origin) : null;
  if (url?.origin !== origin) return undefined;
  const path = `${url.pathname}${url.search}${url.hash}`;
  return path.startsWith('//') ? undefined : path;
}

/**
 * A page address selects a quote, the choice of methods, or neither (the latest quote). The page keeps showing it, so
 * that others with the invoice's code cannot change what a payer reads.
 */

export type Shown = 'latest' | 'choice' | { network: string; token: string };

export type PageAddress = {
  shown: Shown;
  language: string;
  languageFixed: boolean;
};

export function pagePath(basePath: string, transId: string): string {
  return `${basePath}/bill/${transId}`;
}

function queryOf({ shown, language, languageFixed }: PageAddress): URLSearchParams {
  const named = typeof shown === 'object' ? shown : shown === 'choice' ? { choose: '1' } : {};
  return new URLSearchParams({ ...named, ...(languageFixed && { lang: language }) });
}

/** `path` with the query for `address`, and further fields. */
export function writeAddress(path: string, address: PageAddress, further: Record<string, string> = {}): string {
  const query = queryOf(address);
  for (const [name, value] of Object.entries(further)) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** Equal for page addresses that show the same. */
export function addressKey({ shown, language }: PageAddress): string {
  return `${language} ${typeof shown === 'object' ? `${shown.network} ${shown.token}` : shown}`;
}

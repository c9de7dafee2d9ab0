/**
 * Addresses of the checkout page. A page address names one of the invoice's quotes, the choice of methods, or neither,
 * which means the latest quote. A page keeps showing what its address names, so that nobody else with the invoice's
 * code can change what a payer reads.
 */

export type Shown = 'latest' | 'choice' | { network: string; token: string };

export type PageAddress = {
  shown: Shown;
  language: string;
  /** Whether the page address names the language. */
  languageFixed: boolean;
};

export function pagePath(basePath: string, transId: string): string {
  return `${basePath}/bill/${transId}`;
}

function queryOf({ shown, language, languageFixed }: PageAddress): URLSearchParams {
  const named = typeof shown === 'object' ? shown : shown === 'choice' ? { choose: '1' } : {};
  return new URLSearchParams({ ...named, ...(languageFixed && { lang: language }) });
}

/** `path` with the query that names `address`, and with further fields behind it. */
export function writeAddress(path: string, address: PageAddress, further: Record<string, string> = {}): string {
  const query = queryOf(address);
  for (const [name, value] of Object.entries(further)) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** A key that is equal for page addresses that show the same. */
export function addressKey({ shown, language }: PageAddress): string {
  return `${language} ${typeof shown === 'object' ? `${shown.network} ${shown.token}` : shown}`;
}

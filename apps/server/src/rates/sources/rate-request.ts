import { fetchText } from '../../lib/fetch-json.ts';
import { parseNumbersAsText } from '../../lib/exact-json.ts';
import { PriceSourceError } from '../../prices/price-source.ts';
import { MAX_ANSWER_BYTES, REQUEST_HEADERS, REQUEST_TIMEOUT_MS } from '../../prices/sources/price-answer.ts';

/** Requests to sources that answer numbers, which are kept as the texts that were sent. */

export const RATE_REQUEST = {
  timeoutMs: REQUEST_TIMEOUT_MS,
  maxBytes: MAX_ANSWER_BYTES,
  headers: REQUEST_HEADERS,
} as const;

export async function fetchExactJson(source: string, url: string, signal: AbortSignal): Promise<unknown> {
  const answer = parseNumbersAsText(await fetchText(url, { ...RATE_REQUEST, signal }));
  if (answer === undefined) throw new PriceSourceError(source, 'answered something that is not JSON.');
  return answer;
}

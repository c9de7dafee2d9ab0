import type { Dialect, ExchangeOptions, PlatformRequest } from './ask-platform.ts';
import { askPlatform } from './ask-platform.ts';
import type { SourceError } from '../../sources/chain-source.ts';

/** Status of an answer that the platform calls a success over HTTP, whatever its body says. */
const OK = 200;

/**
 * Asks a platform that wraps its answers: most of its refusals come with status 200 and a code in the body, also that it is
 * asked too often. Returns only what the dialect does not take for a refusal.
 */
export async function askEnvelope(
  options: ExchangeOptions,
  dialect: Dialect,
  request: PlatformRequest,
): Promise<unknown> {
  const answer = await askPlatform(options, dialect, request);
  const refusal = dialect.readRefusal(answer, OK);
  if (refusal === undefined) return answer;
  if (refusal.kind === 'rate') pause(options, dialect, request, refusal);
  throw refusal;
}

/** Such a refusal is counted by exchange account where the request names one. */
function pause(
  { clock, gate }: ExchangeOptions,
  { usualPauseMs }: Dialect,
  { baseUrl, account }: PlatformRequest,
  { retryAfterMs = usualPauseMs }: SourceError,
): void {
  gate.observe({ baseUrl, ...(account === undefined ? {} : { account }), untilMs: clock.nowMs() + retryAfterMs });
}

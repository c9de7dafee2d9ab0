import type { Dialect, ExchangeOptions, PlatformRequest } from './ask-platform.ts';
import { askPlatform, pauseFor } from './ask-platform.ts';

/** HTTP status of a success; the body may still hold a refusal. */
const OK = 200;

/**
 * Asks a platform that wraps its answers: most refusals, also those for asking too often, come with HTTP status 200 and
 * a code in the body. Throws every refusal that the platform's dialect recognises.
 */
export async function askEnvelope(
  options: ExchangeOptions,
  dialect: Dialect,
  request: PlatformRequest,
): Promise<unknown> {
  const answer = await askPlatform(options, dialect, request);
  const refusal = dialect.readRefusal(answer, OK);
  if (refusal === undefined) return answer;
  if (refusal.kind === 'rate') {
    // A refusal for asking too often concerns the exchange account, unless the dialect names another scope.
    const scope = dialect.pauseScopeOf(OK, request, answer) ?? 'account';
    pauseFor(options.clock, options.gate, request, scope, refusal.retryAfterMs ?? dialect.usualPauseMs);
  }
  throw refusal;
}

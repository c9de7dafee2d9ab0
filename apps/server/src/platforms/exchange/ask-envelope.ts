import type { Dialect, ExchangeOptions, PlatformRequest } from './ask-platform.ts';
import { askPlatform, pauseFor } from './ask-platform.ts';

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
  if (refusal.kind === 'rate') {
    // Where the dialect names no scope, such a refusal is counted by exchange account.
    const scope = dialect.pauseScopeOf(OK, request, answer) ?? 'account';
    pauseFor(options.clock, options.gate, request, scope, refusal.retryAfterMs ?? dialect.usualPauseMs);
  }
  throw refusal;
}

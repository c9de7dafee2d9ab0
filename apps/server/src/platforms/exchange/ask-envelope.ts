import type { Dialect, ExchangeOptions, PlatformRequest } from './ask-platform.ts';
import { askPlatform, pauseFor } from './ask-platform.ts';

/** The body of a success may still contain a refusal. */
const OK = 200;

/** Asks a platform with refusals inside answers of status 200; throws those that the dialect recognises. */
export async function askEnvelope(
  options: ExchangeOptions,
  dialect: Dialect,
  request: PlatformRequest,
): Promise<unknown> {
  const answer = await askPlatform(options, dialect, request);
  const refusal = dialect.readRefusal(answer, OK);
  if (refusal === undefined) return answer;
  if (refusal.kind === 'rate') {
    // Rate limits concern the account unless the dialect says otherwise.
    const scope = dialect.pauseScopeOf(OK, request, answer) ?? 'account';
    pauseFor(options.clock, options.gate, request, scope, refusal.retryAfterMs ?? dialect.usualPauseMs);
  }
  throw refusal;
}

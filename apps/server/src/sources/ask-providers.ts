import type { Clock } from '../lib/clock.ts';
import type { Pass } from './chain-source.ts';
import { SourceError } from './chain-source.ts';
import { isTimeout } from './json-rpc/json-rpc.ts';

/** Asks the providers of one network. Any provider may be down, slow, behind or on another chain. */

type Named<Provider> = { name: string; provider: Provider };

/** Names each provider by its host, which is no secret; further providers of the same host get a number. */
export function nameProviders<Provider>(
  urls: readonly string[],
  open: (url: string) => Provider,
): readonly Named<Provider>[] {
  const counts = new Map<string, number>();
  return urls.map((url) => {
    const { host } = new URL(url);
    const count = (counts.get(host) ?? 0) + 1;
    counts.set(host, count);
    return { name: count === 1 ? host : `${host}#${count}`, provider: open(url) };
  });
}

function providersFor<Provider>(providers: readonly Named<Provider>[], pass: Pass): readonly Named<Provider>[] {
  if (typeof pass === 'object')
    return providers.filter(({ name }) => ('only' in pass ? name === pass.only : name !== pass.not));
  const start = pass === 'second' && providers.length > 1 ? 1 : 0;
  return [...providers.slice(start), ...providers.slice(0, start)];
}

export type AskProviders<Provider> = <Answer>(
  pass: Pass,
  work: (provider: Provider, name: string) => Promise<Answer>,
) => Promise<Answer>;

/** Pause for a provider that refuses because it is asked too often and does not say how long to wait. */
const DEFAULT_PAUSE_MS = 2_000;
/**
 * Longest pause of a provider. One whose daily quota is used up is tried once a minute, because nothing says when the
 * quota is renewed.
 */
const MAX_PAUSE_MS = 60_000;

/** Which providers asked not to be called for a while. */
type Pauses<Provider> = {
  /** Milliseconds until the provider may be asked again; 0 when it may be asked now. */
  leftMs: (provider: Provider) => number;
  note: (provider: Provider, cause: unknown) => void;
};

function createPauses<Provider>(monotonic: Clock): Pauses<Provider> {
  const until = new Map<Provider, number>();
  return {
    leftMs: (provider) => Math.max(0, (until.get(provider) ?? 0) - monotonic.nowMs()),
    note: (provider, cause) => {
      if (!(cause instanceof SourceError) || cause.kind !== 'rate') return;
      const pauseMs = Math.min(cause.retryAfterMs ?? DEFAULT_PAUSE_MS, MAX_PAUSE_MS);
      until.set(provider, monotonic.nowMs() + pauseMs);
    },
  };
}

const isRange = (cause: unknown) => cause instanceof SourceError && cause.kind === 'range';

/**
 * Asks one provider after another until one answers. A provider must first prove that it serves this network (`refused`
 * collects those that serve another), and a provider that was asked too often is skipped while it pauses. A refusal
 * because the range is too large is thrown at once, because the same provider answers smaller ranges. After a timeout
 * the next provider is asked: the first provider may be slow rather than the range too large.
 */
export function createAskProviders<Provider>(
  providers: readonly Named<Provider>[],
  prove: (provider: Provider) => Promise<void>,
  monotonic: Clock,
  refused: Map<string, string> = new Map(),
): AskProviders<Provider> {
  const proved = new Set<Provider>();
  const pauses = createPauses<Provider>(monotonic);
  return async (pass, work) => {
    const asked = providersFor(providers, pass);
    if (asked.length === 0) throw new SourceError('unavailable', 'No other provider is configured.');
    const failures: unknown[] = [];
    for (const { name, provider } of asked) {
      if (pauses.leftMs(provider) > 0) continue;
      try {
        if (!proved.has(provider)) await prove(provider);
        proved.add(provider);
        refused.delete(name);
        return await work(provider, name);
      } catch (cause) {
        pauses.note(provider, cause);
        if (cause instanceof SourceError && cause.wrongChain) refused.set(name, cause.message);
        if (isRange(cause) && !isTimeout(cause)) throw cause;
        failures.push(cause);
      }
    }
    // If every provider failed, a timeout is thrown rather than another failure: the caller then asks for a smaller
    // range, which the provider that timed out may answer in time.
    if (failures.length > 0) throw failures.find(isRange) ?? failures.at(-1);
    const retryAfterMs = Math.min(...asked.map(({ provider }) => pauses.leftMs(provider)));
    throw new SourceError('rate', 'Every provider wants to be left alone.', { retryAfterMs });
  };
}

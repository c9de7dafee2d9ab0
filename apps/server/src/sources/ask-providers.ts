import type { Clock } from '../lib/clock.ts';
import type { Pass } from './chain-source.ts';
import { SourceError } from './chain-source.ts';
import { isTimeout } from './json-rpc/json-rpc.ts';

/** Asks the providers of one network. Any provider may be down, slow, behind or on another chain. */

type Named<Provider> = { name: string; provider: Provider };

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** What addresses of one provider share: the host name, and on loopback, where each port is another node, the port. */
function hostOf(url: string): string {
  const { host, hostname } = new URL(url);
  return LOOPBACK.test(hostname) ? host : hostname;
}

/**
 * Names each provider by the host of its first URL: the rest of a URL may contain an API key. URLs with the same host name
 * count as one provider, because they share outages and errors; the later ones are only fallbacks.
 */
export function nameProviders<Provider>(
  urls: readonly string[],
  open: (url: string) => Provider,
): readonly Named<Provider>[] {
  const names = new Map<string, string>();
  return urls.map((url) => {
    const name = names.get(hostOf(url)) ?? new URL(url).host;
    names.set(hostOf(url), name);
    return { name, provider: open(url) };
  });
}

export const namesOf = (providers: readonly Named<unknown>[]) => [...new Set(providers.map(({ name }) => name))];

function providersFor<Provider>(providers: readonly Named<Provider>[], pass: Pass): readonly Named<Provider>[] {
  if (typeof pass === 'object')
    return providers.filter(({ name }) => ('only' in pass ? name === pass.only : name !== pass.not));
  const other = providers.findIndex(({ name }) => name !== providers[0]?.name);
  const start = pass === 'second' ? Math.max(0, other) : 0;
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

type AskOptions = {
  /** Collects providers that serve another network, with the reason. */
  refused?: Map<string, string>;
  /** Whether a provider's head stands still: it is asked only where no other provider may answer instead. */
  isStanding?: (name: string) => boolean;
};

const isOnly = (pass: Pass) => typeof pass === 'object' && 'only' in pass;

/**
 * Asks one provider after another until one answers. A provider must first prove that it serves this network. A
 * provider that was asked too often is skipped while it pauses, and one whose head stands still is skipped. A refusal
 * because the range is too large is thrown at once, because the same provider answers smaller ranges. After a timeout
 * the next provider is asked: the first provider may be slow rather than the range too large.
 */
export function createAskProviders<Provider>(
  providers: readonly Named<Provider>[],
  prove: (provider: Provider, name: string) => Promise<void>,
  monotonic: Clock,
  { refused = new Map(), isStanding = () => false }: AskOptions = {},
): AskProviders<Provider> {
  const proved = new Set<Provider>();
  const pauses = createPauses<Provider>(monotonic);
  return async (pass, work) => {
    const asked = providersFor(providers, pass);
    if (asked.length === 0) throw new SourceError('unavailable', 'No other provider is configured.');
    const failures: unknown[] = [];
    for (const { name, provider } of asked) {
      if (pauses.leftMs(provider) > 0) continue;
      if (!isOnly(pass) && isStanding(name)) {
        failures.unshift(new SourceError('unavailable', `The head of ${name} does not move.`));
        continue;
      }
      try {
        if (!proved.has(provider)) await prove(provider, name);
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

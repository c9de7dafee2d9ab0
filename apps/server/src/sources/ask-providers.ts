import type { Clock } from '../lib/clock.ts';
import type { Pass } from './chain-source.ts';
import { SourceError } from './chain-source.ts';
import { isTimeout } from './json-rpc/json-rpc.ts';

/** Asks the providers of one network. Any of them may be down, slow, lagging or on another chain. */

type Named<Provider> = { name: string; provider: Provider };

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Identifies a provider: by host name, and on loopback also by port. */
function hostOf(url: string): string {
  const { host, hostname } = new URL(url);
  return LOOPBACK.test(hostname) ? host : hostname;
}

/**
 * Names providers by host: the rest of a URL may contain an API key. URLs of one host are one provider, because they
 * share outages and errors; later ones are fallbacks.
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

/** Pause after a rate limit without a given time. */
const DEFAULT_PAUSE_MS = 2_000;
/** Longest pause. A provider with a used-up daily quota is asked once a minute, because its renewal time is unknown. */
const MAX_PAUSE_MS = 60_000;

type Pauses<Provider> = {
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
  /** Providers that serve another network, with the reason. */
  refused?: Map<string, string>;
  /** A provider with a stalled head is asked only where no other may answer. */
  isStanding?: (name: string) => boolean;
};

const isOnly = (pass: Pass) => typeof pass === 'object' && 'only' in pass;

/**
 * Asks providers in turn until one answers. Each must first prove that it serves this network. Pausing providers and
 * those with stalled heads are skipped. A too-large range is thrown immediately, because the same provider answers
 * smaller ones; after a timeout the next provider is asked, because this one may just be slow.
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
    // If all failed, a timeout comes first: the caller then asks for a smaller range, which may be answered in time.
    if (failures.length > 0) throw failures.find(isRange) ?? failures.at(-1);
    const retryAfterMs = Math.min(...asked.map(({ provider }) => pauses.leftMs(provider)));
    throw new SourceError('rate', 'Every provider wants to be left alone.', { retryAfterMs });
  };
}

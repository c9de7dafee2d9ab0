import type { Clock } from '../lib/clock.ts';
import type { Pass } from './chain-source.ts';
import { SourceError } from './chain-source.ts';
import { isTimeout } from './json-rpc/json-rpc.ts';

/** Several providers of one network, of which any may be down, slow, behind or on another chain. */

export type Named<Provider> = { name: string; provider: Provider };

/** Providers by their hosts, which are no secret; one whose host occurs before is told apart by its number. */
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

function inTurn<Provider>(providers: readonly Named<Provider>[], pass: Pass): readonly Named<Provider>[] {
  if (typeof pass === 'object')
    return providers.filter(({ name }) => ('only' in pass ? name === pass.only : name !== pass.not));
  const start = pass === 'second' && providers.length > 1 ? 1 : 0;
  return [...providers.slice(start), ...providers.slice(0, start)];
}

export type AskProviders<Provider> = <Answer>(
  pass: Pass,
  work: (provider: Provider, name: string) => Promise<Answer>,
) => Promise<Answer>;

/** How long a provider is left alone that says "too often" and not for how long. */
const DEFAULT_REST_MS = 2_000;
/** A quota of a day is asked about again once a minute: nobody else says when it is over. */
const MAX_REST_MS = 60_000;

type Rests<Provider> = {
  /** How long it is to be left alone from now on; 0 for one that may be asked. */
  leftMs: (provider: Provider) => number;
  note: (provider: Provider, cause: unknown) => void;
};

function createRests<Provider>(monotonic: Clock): Rests<Provider> {
  const until = new Map<Provider, number>();
  return {
    leftMs: (provider) => Math.max(0, (until.get(provider) ?? 0) - monotonic.nowMs()),
    note: (provider, cause) => {
      if (!(cause instanceof SourceError) || cause.kind !== 'rate') return;
      const restMs = Math.min(cause.retryAfterMs ?? DEFAULT_REST_MS, MAX_REST_MS);
      until.set(provider, monotonic.nowMs() + restMs);
    },
  };
}

const isRange = (cause: unknown) => cause instanceof SourceError && cause.kind === 'range';

/**
 * Asks one provider after the other. None is believed before it has proved that it serves this network (`refused` names
 * those that serve another), and one that
 * was asked too often is passed over for as long as it wants. Only a range that is too large is not another one's to
 * answer: it is better asked for in smaller pieces. A provider that is too slow may be too slow for the range or for
 * everything, so the next one is asked first.
 */
export function createAskProviders<Provider>(
  providers: readonly Named<Provider>[],
  prove: (provider: Provider) => Promise<void>,
  monotonic: Clock,
  refused: Map<string, string> = new Map(),
): AskProviders<Provider> {
  const proved = new Set<Provider>();
  const rests = createRests<Provider>(monotonic);
  return async (pass, work) => {
    const asked = inTurn(providers, pass);
    if (asked.length === 0) throw new SourceError('unavailable', 'No other provider is configured.');
    const failures: unknown[] = [];
    for (const { name, provider } of asked) {
      if (rests.leftMs(provider) > 0) continue;
      try {
        if (!proved.has(provider)) await prove(provider);
        proved.add(provider);
        refused.delete(name);
        return await work(provider, name);
      } catch (cause) {
        rests.note(provider, cause);
        if (cause instanceof SourceError && cause.wrongChain) refused.set(name, cause.message);
        if (isRange(cause) && !isTimeout(cause)) throw cause;
        failures.push(cause);
      }
    }
    // One that is too slow for so much may be quick enough for less, whatever the others said.
    if (failures.length > 0) throw failures.find(isRange) ?? failures.at(-1);
    const retryAfterMs = Math.min(...asked.map(({ provider }) => rests.leftMs(provider)));
    throw new SourceError('rate', 'Every provider wants to be left alone.', { retryAfterMs });
  };
}

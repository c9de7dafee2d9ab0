import type { Pass } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import { isTimeout } from './evm/json-rpc.ts';

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

/** Asks one provider after the other. None is believed before it has proved that it serves this network. */
export function createAskProviders<Provider>(
  providers: readonly Named<Provider>[],
  prove: (provider: Provider) => Promise<void>,
): AskProviders<Provider> {
  const proved = new Set<Provider>();
  return async (pass, work) => {
    let last: unknown;
    for (const { name, provider } of inTurn(providers, pass)) {
      try {
        if (!proved.has(provider)) await prove(provider);
        proved.add(provider);
        return await work(provider, name);
      } catch (cause) {
        // Another provider has limits of its own, but the same range is better asked in smaller pieces.
        if (cause instanceof SourceError && cause.kind === 'range' && !isTimeout(cause)) throw cause;
        last = cause;
      }
    }
    throw last ?? new SourceError('unavailable', 'No other provider is configured.');
  };
}

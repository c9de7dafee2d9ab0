import { SourceError } from '../chain-source.ts';
import { isTimeout } from './evm/json-rpc.ts';

/** Several providers of one network, of which any may be down, slow, behind or on another chain. */

export type Pass = 'first' | 'second';

/** The first pass starts with the first provider, the second with the second; the others stand by. */
function inTurn<Provider>(providers: readonly Provider[], pass: Pass): Provider[] {
  const start = pass === 'second' && providers.length > 1 ? 1 : 0;
  return [...providers.slice(start), ...providers.slice(0, start)];
}

export type AskProviders<Provider> = <Answer>(
  pass: Pass,
  work: (provider: Provider) => Promise<Answer>,
) => Promise<Answer>;

/** Asks one provider after the other. None is believed before it has proved that it serves this network. */
export function createAskProviders<Provider>(
  providers: readonly Provider[],
  prove: (provider: Provider) => Promise<void>,
): AskProviders<Provider> {
  const proved = new Set<Provider>();
  return async (pass, work) => {
    let last: unknown;
    for (const provider of inTurn(providers, pass)) {
      try {
        if (!proved.has(provider)) await prove(provider);
        proved.add(provider);
        return await work(provider);
      } catch (cause) {
        // Another provider has limits of its own, but the same range is better asked in smaller pieces.
        if (cause instanceof SourceError && cause.kind === 'range' && !isTimeout(cause)) throw cause;
        last = cause;
      }
    }
    throw last ?? new SourceError('unavailable', 'No provider is configured.');
  };
}

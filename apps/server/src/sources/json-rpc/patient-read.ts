import type { Clock } from '../../lib/clock.ts';
import type { ChainRead, Pass } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import type { AskProviders } from '../ask-providers.ts';
import type { DoubtedRead } from './prove-tail.ts';

/**
 * A provider whose newest blocks lack the logs that they should have may have an index that is behind. Its read is not
 * believed, and every provider is asked again, for a minute: most indexes catch up within seconds. After that the read is
 * believed with a mark for an alarm, because an index that has stopped for good must not stop the chain.
 */
export const PATIENCE_MS = 60_000;
/** Whoever has not asked for so long, because another worker did, has not seen the doubt last. */
export const LONGEST_PAUSE_MS = 5 * PATIENCE_MS;

export type PatientRead<Provider> = (
  pass: Pass,
  work: (provider: Provider) => Promise<DoubtedRead>,
) => Promise<ChainRead>;

const keyOf = (pass: Pass) => (typeof pass === 'string' ? pass : JSON.stringify(pass));
const isRange = (cause: unknown) => cause instanceof SourceError && cause.kind === 'range';

export function createPatientRead<Provider>(ask: AskProviders<Provider>, monotonic: Clock): PatientRead<Provider> {
  const doubts = new Map<string, { sinceMs: number; lastMs: number }>();

  function isPatienceOver(key: string): boolean {
    const nowMs = monotonic.nowMs();
    const known = doubts.get(key);
    const sinceMs = known && nowMs - known.lastMs <= LONGEST_PAUSE_MS ? known.sinceMs : nowMs;
    doubts.set(key, { sinceMs, lastMs: nowMs });
    return nowMs - sinceMs >= PATIENCE_MS;
  }

  return async (pass, work) => {
    let doubted: ChainRead | undefined;
    try {
      const read = await ask(pass, async (provider, by) => {
        const { doubt, ...found } = await work(provider);
        if (doubt === undefined) return { ...found, by };
        doubted ??= { ...found, by, quietTail: true };
        throw new SourceError('not-yet', doubt);
      });
      doubts.delete(keyOf(pass));
      return read;
    } catch (cause) {
      if (!doubted || !isPatienceOver(keyOf(pass)) || isRange(cause)) throw cause;
      return doubted;
    }
  };
}

import type { Clock } from '../../lib/clock.ts';
import type { ChainRead, Pass } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import type { AskProviders } from '../ask-providers.ts';
import type { DoubtedRead } from './prove-tail.ts';

/**
 * How long a doubted read is refused: its newest blocks lack expected logs, perhaps because the log index lags.
 * Providers are asked again, and most catch up within seconds. Then the read is accepted with an alarm, because an
 * index that has stopped must not stop the chain.
 */
export const PATIENCE_MS = 60_000;
/** A doubt that was unchecked for this long restarts: another worker read the chain, and it may have ended unseen. */
export const LONGEST_PAUSE_MS = 5 * PATIENCE_MS;

type PatientRead<Provider> = (pass: Pass, work: (provider: Provider) => Promise<DoubtedRead>) => Promise<ChainRead>;

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

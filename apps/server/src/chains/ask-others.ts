import type { Pass } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { Follower } from './follower.ts';
import type { AlarmRaiser } from './raise-chain-alarm.ts';
import { endChainAlarm, raiseChainAlarm } from './raise-chain-alarm.ts';

/** After so long, two questions to the provider that answers stand in for the silent others. */
const SILENT_MS = 60_000;
/** Nobody knows whether those who were not asked for so long were silent: the longest rest between two tries is a minute. */
const MAX_UNASKED_MS = 180_000;

/** Since when others have not answered, and when that was last tried. */
export type Silence = { sinceMs: number; triedMs: number };

export type FromOthers<Answer> = { answered: true; answer: Answer } | { answered: false };

/**
 * Asks any provider but the one that read first. While they are silent only now and then it throws, and is tried again;
 * once they have been silent for long, the caller goes on without them and a person is told.
 */
export async function askOthers<Answer>(
  follower: AlarmRaiser & Pick<Follower, 'othersSilentSince'>,
  readBy: string,
  ask: (pass: Pass) => Promise<Answer>,
): Promise<FromOthers<Answer>> {
  const { othersSilentSince: silent } = follower;
  const nowMs = follower.clock.nowMs();
  try {
    const answer = await ask({ not: readBy });
    silent.delete(readBy);
    endChainAlarm(follower, 'provider-silent');
    return { answered: true, answer };
  } catch (cause) {
    if (!(cause instanceof SourceError) || cause.kind === 'range') throw cause;
    const known = silent.get(readBy);
    const sinceMs = known && nowMs - known.triedMs <= MAX_UNASKED_MS ? known.sinceMs : nowMs;
    silent.set(readBy, { sinceMs, triedMs: nowMs });
    if (nowMs - sinceMs < SILENT_MS) throw cause;
    await raiseChainAlarm(follower, 'provider-silent', { answering: readBy, reason: cause.message });
    return { answered: false };
  }
}

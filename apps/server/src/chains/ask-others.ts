import type { Pass } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { Follower } from './follower.ts';
import type { AlarmRaiser } from './raise-chain-alarm.ts';
import { endChainAlarm, raiseChainAlarm } from './raise-chain-alarm.ts';

/** Silence after which the other providers are done without, and the answering one gets two different questions. */
const SILENT_MS = 60_000;
/** Silence counts from anew when the others were not asked for this long; tries are never more than a minute apart. */
const MAX_UNASKED_MS = 180_000;

/** Since when the other providers have not answered, and when they were last asked. */
export type Silence = { sinceMs: number; triedMs: number };

type FromOthers<Answer> = { answered: true; answer: Answer } | { answered: false };

/**
 * Asks any provider but `readBy`. Throws while none answers, to be tried again; once they have been silent for a minute
 * it raises an alarm, and the caller goes on without them.
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

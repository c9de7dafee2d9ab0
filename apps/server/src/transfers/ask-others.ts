import type { Pass } from './chain-source.ts';
import { SourceError } from './chain-source.ts';
import type { Follower } from './follower.ts';
import type { AlarmRaiser } from './raise-chain-alarm.ts';
import { endChainAlarm, raiseChainAlarm } from './raise-chain-alarm.ts';

/** After so long, two questions to the provider that answers stand in for the silent others. */
const SILENT_MS = 60_000;

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
    const since = silent.get(readBy) ?? nowMs;
    silent.set(readBy, since);
    if (nowMs - since < SILENT_MS) throw cause;
    await raiseChainAlarm(follower, 'provider-silent', { answering: readBy, reason: cause.message });
    return { answered: false };
  }
}

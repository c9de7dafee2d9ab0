import type { Pass } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { AlarmRaiser } from './raise-chain-alarm.ts';
import { endChainAlarm, raiseChainAlarm } from './raise-chain-alarm.ts';

/**
 * How long the other providers must be silent before a read goes on without them; the provider that does answer then
 * gets two different questions.
 */
const SILENT_MS = 60_000;
/**
 * A silence counts as new when the other providers were not asked for this long; while reads go on they are asked at
 * least once a minute.
 */
const MAX_UNASKED_MS = 180_000;

/** Since when the other providers have not answered, and when they were last asked. */
type Silence = { sinceMs: number; triedMs: number };

/** Silence of all other providers, by the name of the provider that does answer. Written by this file alone. */
export type SilenceMemory = { readonly othersSilentSince: Map<string, Silence> };

type Asker = AlarmRaiser & { readonly memory: SilenceMemory };

type FromOthers<Answer> = { answered: true; answer: Answer } | { answered: false };

/**
 * Asks any provider but `readBy`. Throws while no other provider answers, so that the question is tried again; after a
 * minute of silence it raises an alarm instead, and the caller goes on without the other providers.
 */
export async function askOthers<Answer>(
  follower: Asker,
  readBy: string,
  ask: (pass: Pass) => Promise<Answer>,
): Promise<FromOthers<Answer>> {
  const { othersSilentSince: silent } = follower.memory;
  const nowMs = follower.clock.nowMs();
  try {
    const answer = await ask({ not: readBy });
    endSilence(follower.memory, readBy);
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

/** Notes that a provider other than `readBy` has answered. */
export function endSilence({ othersSilentSince }: SilenceMemory, readBy: string): void {
  othersSilentSince.delete(readBy);
}

/** Forgets all silences, for a process that asks no provider for a while: a silence may end unseen. */
export function forgetSilences({ othersSilentSince }: SilenceMemory): void {
  othersSilentSince.clear();
}

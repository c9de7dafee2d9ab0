import type { Pass } from '../sources/chain-source.ts';
import { SourceError } from '../sources/chain-source.ts';
import type { AlarmRaiser } from './raise-chain-alarm.ts';
import { endChainAlarm, raiseChainAlarm } from './raise-chain-alarm.ts';

/** Silence before a read continues without the others; the remaining provider then gets two different requests. */
const SILENT_MS = 60_000;
/** After this long without a request a silence counts as new; active reads ask at least once a minute. */
const MAX_UNASKED_MS = 180_000;

/** Since when the others have not answered, and when they were last asked. */
type Silence = { sinceMs: number; triedMs: number };

/** By the provider that does answer. Written only by this file. */
export type SilenceMemory = { readonly othersSilentSince: Map<string, Silence> };

type Asker = AlarmRaiser & { readonly memory: SilenceMemory };

type FromOthers<Answer> = { answered: true; answer: Answer } | { answered: false };

/** Asks any provider but `readBy`. Throws while none answers; after a minute it raises an alarm instead. */
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

/** Records that another provider than `readBy` has answered. */
export function endSilence({ othersSilentSince }: SilenceMemory, readBy: string): void {
  othersSilentSince.delete(readBy);
}

/** For a process that asks no provider for a while: a silence may end unseen. */
export function forgetSilences({ othersSilentSince }: SilenceMemory): void {
  othersSilentSince.clear();
}

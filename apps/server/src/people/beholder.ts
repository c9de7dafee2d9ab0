import type { Clock } from '../lib/clock.ts';
import type { Person } from '../lib/actor.ts';

/** A viewer: a person, and the session in which they may have a support session. */
export type Beholder = { personId: bigint; sessionHash: Buffer; now: Date };

export function beholderOf({ clock }: { clock: Clock }, { id, sessionHash }: Person): Beholder {
  return { personId: id, sessionHash, now: new Date(clock.nowMs()) };
}

import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';

/** Refuses a dangerous action without a recent step-up. */
export function requireElevated(actor: Person): void {
  if (!actor.elevated) throw new Refusal('STEP_UP_NEEDED');
}

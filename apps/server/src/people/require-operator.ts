import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';

/** Refuses people of merchants, for whom there is nothing here. */
export function requireOperator({ operatorRole }: Person): void {
  if (operatorRole === null) throw new Refusal('OPERATORS_ONLY');
}

import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { OperatorRole } from './person.ts';

/** What staff may do: see lists, open support sessions, make changes. */
export type OperatorRight = 'see' | 'look' | 'change';

const RIGHTS: Readonly<Record<OperatorRole, ReadonlySet<OperatorRight>>> = {
  operator: new Set(['see', 'look', 'change']),
  support: new Set(['see', 'look']),
};

/** Refuses users who are not staff, and staff without this permission. */
export function requireOperator({ operatorRole }: Pick<Person, 'operatorRole'>, right: OperatorRight): void {
  if (operatorRole === null) throw new Refusal('OPERATORS_ONLY');
  if (!RIGHTS[operatorRole].has(right)) throw new Refusal('NO_PERMISSION', { permission: `operator.${right}` });
}

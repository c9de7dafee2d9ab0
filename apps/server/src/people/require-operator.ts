import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { OperatorRole } from './person.ts';

/** What people who run the service may do: see lists, open support sessions, change something. */
export type OperatorRight = 'see' | 'look' | 'change';

const RIGHTS: Readonly<Record<OperatorRole, ReadonlySet<OperatorRight>>> = {
  operator: new Set(['see', 'look', 'change']),
  support: new Set(['see', 'look']),
};

/** Refuses people of merchants, for whom there is nothing here, and people who run the service without this right. */
export function requireOperator({ operatorRole }: Pick<Person, 'operatorRole'>, right: OperatorRight): void {
  if (operatorRole === null) throw new Refusal('OPERATORS_ONLY');
  if (!RIGHTS[operatorRole].has(right)) throw new Refusal('NO_PERMISSION', { permission: `operator.${right}` });
}

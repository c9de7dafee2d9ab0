import { z } from 'zod';
import { isOfOperator } from '../audit/audit-for-merchants.ts';

/** Common parts of answer forms, and their formats. */

export const seconds = z.int().describe('Unix time in seconds');

const PERSON = 'person:';

/** An actor as in the audit: a person's code, or a kind. Operators are not named to merchants. */
export function viewAuditActor(actor: string, action: string): string {
  if (isOfOperator(actor, action)) return 'operator';
  if (actor.startsWith(PERSON)) return actor.slice(PERSON.length);
  return actor.startsWith('worker:') ? 'worker' : (actor.split(':', 1)[0] ?? '');
}

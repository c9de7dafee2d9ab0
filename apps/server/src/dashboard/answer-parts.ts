import { z } from 'zod';
import { MICRO_USD_DECIMALS } from '../ledger/fee.ts';
import { formatDecimal } from '../lib/amount.ts';

/** Parts that the forms of several answers have in common, and how they are written. */

export const seconds = z.int().describe('Unix time in seconds');

const USD_SHOWN_DECIMALS = 2;

export const formatMicroUsd = (microUsd: bigint) => formatDecimal(microUsd, MICRO_USD_DECIMALS, USD_SHOWN_DECIMALS);

const PERSON = 'person:';
/** What operators do as people who are signed in; all else that people do, they do as members. */
const OF_OPERATORS = new Set(['merchant.look', 'merchant.look_end']);

/**
 * Who did something, as the audit names them: the code of a person, or a kind of actor. Operators of this service are not
 * named to merchants.
 */
export function viewAuditActor(actor: string, action: string): string {
  if (OF_OPERATORS.has(action) || actor.startsWith('cli:')) return 'operator';
  if (actor.startsWith(PERSON)) return actor.slice(PERSON.length);
  return actor.startsWith('worker:') ? 'worker' : (actor.split(':', 1)[0] ?? '');
}

/** What an audit entry says, without the names of operators. */
export function viewAuditDetails(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('cli:') ? 'operator' : value;
  if (Array.isArray(value)) return value.map(viewAuditDetails);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, viewAuditDetails(inner)]));
}

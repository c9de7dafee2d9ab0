import type { Queries } from '../db/database.ts';
import type { Actor } from '../lib/actor.ts';
import { requireRevealed, requireStored } from '../people/attempt.ts';
import { requireElevated } from '../people/require-elevated.ts';

/** Refuses secrets without a step-up, or after too many in an hour. Operators have the key ring and are not counted. */
export async function requireReveal(queries: Queries, actor: Actor): Promise<void> {
  if (actor.kind !== 'person') return;
  requireElevated(actor);
  await requireRevealed(queries, actor.id);
}

/** Refuses a new key or secret without a step-up, or after too many in the last hour. */
export async function requireRenewal(queries: Queries, actor: Actor): Promise<void> {
  if (actor.kind !== 'person') return;
  requireElevated(actor);
  await requireStored(queries, actor.id);
}

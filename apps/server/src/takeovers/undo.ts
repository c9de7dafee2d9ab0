import { HOUR_MS } from '@counterfoil/core/duration.ts';

/** Decides undo conflicts: the email address that is older than the changes wins. */

/** Delay of a restore without an earlier two-factor method. */
const WAIT_HOURS = 24;

export const restoredAt = (now: Date) => new Date(now.getTime() + WAIT_HOURS * HOUR_MS);

/** The part of sealed credentials that decides an undo: address and method names. */
export type KeptState = { id: bigint; mailNormal: string; methods: readonly string[] };

export type UndoFacts = {
  kept: readonly KeptState[];
  /** The credentials that the link is about. */
  linkedId: bigint;
  /** The given earlier method; without one the restore waits. */
  proof?: string | undefined;
  pending?: { earlierId: bigint } | undefined;
};

/**
 * - `void`: the link goes back to nothing, because older credentials were restored or its time is over.
 * - `refused`: no credentials of the link's address had this method.
 * - `waits`: a restore to the same or to older credentials is pending.
 */
type UndoDecision =
  | { kind: 'void' | 'refused' | 'waits' }
  | { kind: 'restore' | 'wait'; target: bigint; endsPending: boolean };

/** The credentials with a link's address, oldest first; none when the link is void. */
export function statesOfLink<State extends KeptState>(kept: readonly State[], linkedId: bigint): State[] {
  const mail = kept.find(({ id }) => id === linkedId)?.mailNormal;
  return kept.filter(({ mailNormal }) => mailNormal === mail);
}

/**
 * Restores as far back as possible: the oldest credentials with the link's address or, with a method, the oldest that
 * have it. Restoring ends those and later ones, never older ones, so no restore can reverse one that goes further back.
 */
export function decideUndo({ kept, linkedId, proof, pending }: UndoFacts): UndoDecision {
  const states = statesOfLink(kept, linkedId);
  const [oldest] = states;
  if (!oldest) return { kind: 'void' };
  if (proof === undefined) {
    if (pending && pending.earlierId <= oldest.id) return { kind: 'waits' };
    return { kind: 'wait', target: oldest.id, endsPending: pending !== undefined };
  }
  const target = states.find(({ methods }) => methods.includes(proof));
  if (!target) return { kind: 'refused' };
  const isOwn = states.some(({ id }) => id === pending?.earlierId);
  const endsPending = pending !== undefined && (isOwn || pending.earlierId >= target.id);
  return { kind: 'restore', target: target.id, endsPending };
}

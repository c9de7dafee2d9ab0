import type { Mark } from './mark.ts';

/** Decides whether a worker may confirm the database: only if the database has everything that its mark has seen. */

export type ConfirmationFacts = {
  /** Whether a worker's confirmation is valid now. */
  confirmed: boolean;
  /** Who accepted the database without a mark on this run of the server. */
  acceptedBy: 'migration' | 'operator' | null;
  /** Whether a worker found that the database went back, and no operator has decided since. */
  wentBack: boolean;
  /** The folder's count in the database; null when the database does not know the folder. */
  ownSequence: bigint | null;
  /** Whether other folders were marked long after this one, so that this mark misses what came between. */
  isStale: boolean;
  hasInvoices: boolean;
};

/** Below every count. */
const NEVER = 0n;

export type MarkRefusal = 'went-back' | 'mark-missing';

type MarkJudgement = { sequence: bigint } | { refused: MarkRefusal };

export function judgeMark(mark: Mark | undefined, facts: ConfirmationFacts): MarkJudgement {
  const own = facts.ownSequence ?? NEVER;
  const seen = mark?.sequence ?? NEVER;
  if (facts.acceptedBy === 'operator') return { sequence: (own > seen ? own : seen) + 1n };
  if (facts.wentBack || own < seen) return { refused: 'went-back' };
  const isVouchedFor = facts.confirmed || facts.acceptedBy !== null;
  const isProof = mark !== undefined && !facts.isStale;
  if (isProof || isVouchedFor || !facts.hasInvoices) return { sequence: own + 1n };
  return { refused: 'mark-missing' };
}

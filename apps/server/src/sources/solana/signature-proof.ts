import type { AccountCommitment } from '../account-source.ts';
import { SourceError } from '../chain-source.ts';
import type { SolanaAnswer, SolanaCall } from './solana-rpc.ts';
import { CODES, refusalOf } from './solana-rpc.ts';

/**
 * Proof that a signature list is complete. Nodes index addresses after they have the block, and check `minContextSlot`
 * only against the block. `getBlock` succeeds once the block is in the same storage, so it is called in the same batch.
 */

const METHOD = 'getBlock';

export function proofCall(slot: number, commitment: AccountCommitment, maxVersion: number): SolanaCall {
  const maxSupportedTransactionVersion = maxVersion;
  const config = { commitment, transactionDetails: 'none', rewards: false, maxSupportedTransactionVersion };
  return { method: METHOD, params: [slot, config] };
}

/** The slot has no block; the newest block below proves completeness instead. */
export class SkippedSlotError extends SourceError {}

/** Throws unless the node has stored everything up to the slot. */
export function judgeProof(answer: SolanaAnswer | undefined): void {
  if (answer === undefined) throw new SourceError('inconsistent', `${METHOD} was not answered.`);
  if (answer.error === null && answer.result !== null) return;
  if (answer.error === null) throw new SourceError('not-yet', `${METHOD}: the block is not there yet.`);
  const { code } = answer.error;
  const refusal = refusalOf(METHOD, answer.error);
  const isSkipped = code === CODES.slotSkipped || code === CODES.slotSkippedInStorage;
  if (isSkipped && refusal.kind !== 'rate') throw new SkippedSlotError('unavailable', refusal.message);
  throw refusal;
}

import type { AccountCommitment } from '../account-source.ts';
import { SourceError } from '../chain-source.ts';
import type { SolanaAnswer, SolanaCall } from './solana-rpc.ts';
import { CODES, refusalOf } from './solana-rpc.ts';

/**
 * Proof that a list of signatures is complete. A node indexes addresses some time after it knows a block, and checks
 * `minContextSlot` against the block only: a list may lack its newest entries without any sign. `getBlock` succeeds
 * once the block is written to the same storage, so it is called in the same batch as the list.
 */

const METHOD = 'getBlock';

export function proofCall(slot: number, commitment: AccountCommitment, maxVersion: number): SolanaCall {
  const maxSupportedTransactionVersion = maxVersion;
  const config = { commitment, transactionDetails: 'none', rewards: false, maxSupportedTransactionVersion };
  return { method: METHOD, params: [slot, config] };
}

/** Thrown when the slot that was asked for has no block; the newest block below that slot is then used as proof. */
export class SkippedSlotError extends SourceError {}

/** Throws unless the node has written everything up to the slot. */
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

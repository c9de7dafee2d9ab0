import type { AccountCommitment } from '../account-source.ts';
import { SourceError } from '../chain-source.ts';
import type { SolanaAnswer, SolanaCall } from './solana-rpc.ts';
import { CODES, refusalOf } from './solana-rpc.ts';

/**
 * That a list is complete. A node writes down whom a block's transactions named some time after it knows the block, and
 * `minContextSlot` is only compared with the latter: a list may lack the newest entries without any sign of it. Of the same
 * record `getBlock` says whether it is written, so it is asked for beside the list, of the same node.
 */

const METHOD = 'getBlock';

export function proofCall(slot: number, commitment: AccountCommitment, maxVersion: number): SolanaCall {
  const maxSupportedTransactionVersion = maxVersion;
  const config = { commitment, transactionDetails: 'none', rewards: false, maxSupportedTransactionVersion };
  return { method: METHOD, params: [slot, config] };
}

/** There is no block at the slot that was asked for: the newest one below it proves as much. */
export class SkippedSlotError extends SourceError {}

/** Throws unless everything up to the slot is written. */
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

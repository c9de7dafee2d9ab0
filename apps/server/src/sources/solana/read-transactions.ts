import { z } from 'zod';
import type { Network } from '../../networks/network.ts';
import { profileOf } from '../../networks/profile.ts';
import type { AccountCommitment, AccountTransaction, AccountTransfer, ReadingFault } from '../account-source.ts';
import { SourceError } from '../chain-source.ts';
import { decodeCredits, decodeTransaction } from './solana-decode.ts';
import type { Provider } from './solana-providers.ts';
import { referencesOf } from './solana-references.ts';
import type { SolanaAnswer, SolanaCall } from './solana-rpc.ts';
import { CODES, MAX_CALLS_PER_REQUEST, parseAnswer, refusalOf } from './solana-rpc.ts';
import { positionAtOrBelow } from './solana-time.ts';

/** Reads single transactions as far as they concern an account. An unreadable one does not stop the others. */

export function maxVersionOf(network: Network): number {
  const { maxTransactionVersion } = profileOf(network);
  if (maxTransactionVersion === null) throw new Error(`${network.id} has no versions of transactions.`);
  return maxTransactionVersion;
}

export function getTransactionCall(network: Network, signature: string, commitment: AccountCommitment): SolanaCall {
  const maxSupportedTransactionVersion = maxVersionOf(network);
  return {
    method: 'getTransaction',
    params: [signature, { commitment, encoding: 'json', maxSupportedTransactionVersion }],
  };
}

/** Slot and time as listed; undefined for a transaction that was submitted instead. */
type Listed = { signature: string; slot?: number; blockTime?: number | null };

type TransactionReader = {
  network: Network;
  provider: Provider;
  account: string;
  commitment: AccountCommitment;
};

type Outcome = AccountTransaction;

function unreadable(txId: string, fault: ReadingFault['fault'], reason: string): Outcome {
  return { txId, outcome: 'unreadable', fault, reason };
}

/** What a transaction credited to the account, or the `reason` why it cannot be decoded. */
function decodeFor(reader: TransactionReader, answer: unknown) {
  try {
    const transaction = decodeTransaction(answer);
    return { transaction, credits: decodeCredits(transaction, reader.account, reader.network) };
  } catch (cause) {
    if (cause instanceof SourceError && cause.kind === 'inconsistent') return { reason: cause.message };
    throw cause;
  }
}

async function outcomeOf(reader: TransactionReader, listed: Listed, answer: SolanaAnswer): Promise<Outcome> {
  const { signature: txId } = listed;
  if (answer.error?.code === CODES.unsupportedVersion) return unreadable(txId, 'version', answer.error.message);
  if (answer.error !== null) throw refusalOf('getTransaction', answer.error);
  if (answer.result === null) {
    if (listed.slot === undefined) return { txId, outcome: 'absent' };
    return unreadable(txId, 'missing', 'It is listed and not given.');
  }
  const decoded = decodeFor(reader, answer.result);
  if ('reason' in decoded) return unreadable(txId, 'malformed', decoded.reason);
  const { transaction, credits } = decoded;
  const elsewhere = listed.slot !== undefined && transaction.slot !== listed.slot;
  if (elsewhere || transaction.signature !== txId) return unreadable(txId, 'missing', 'It is not where it is listed.');
  return { txId, outcome: 'read', transfers: await placeCredits(reader, listed, transaction, credits) };
}

async function placeCredits(
  { provider, account, commitment }: TransactionReader,
  listed: Listed,
  transaction: ReturnType<typeof decodeTransaction>,
  credits: ReturnType<typeof decodeCredits>,
): Promise<AccountTransfer[]> {
  if (credits.length === 0) return [];
  const { slot } = transaction;
  const known = transaction.blockTime ?? listed.blockTime;
  const blockTime = known ?? (await positionAtOrBelow(provider, slot, commitment)).time;
  const references = referencesOf(transaction);
  const coordinates = { txId: listed.signature, height: slot, blockHash: `slot:${slot}`, blockTime };
  return credits.map((credit) => Object.assign({ to: account, references }, credit, coordinates));
}

export async function readTransactions(
  reader: TransactionReader,
  listed: readonly Listed[],
): Promise<AccountTransaction[]> {
  const outcomes: AccountTransaction[] = [];
  for (let start = 0; start < listed.length; start += MAX_CALLS_PER_REQUEST) {
    const piece = listed.slice(start, start + MAX_CALLS_PER_REQUEST);
    const calls = piece.map(({ signature }) => getTransactionCall(reader.network, signature, reader.commitment));
    const answers = await reader.provider.askEach(calls);
    for (const [position, one] of piece.entries()) {
      const answer = answers[position];
      if (!answer) throw new SourceError('inconsistent', 'A call was not answered.');
      outcomes.push(await outcomeOf(reader, one, answer));
    }
  }
  return outcomes;
}

const statusesSchema = z.object({ value: z.array(z.unknown().nullable()) });

/** Ids that the provider knows at all, including old ones. */
export async function readKnown({ provider }: TransactionReader, txIds: readonly string[]): Promise<Set<string>> {
  const [answer] = await provider.ask([
    { method: 'getSignatureStatuses', params: [txIds, { searchTransactionHistory: true }] },
  ]);
  const { value } = parseAnswer(statusesSchema, answer, 'list of statuses');
  return new Set(txIds.filter((_txId, position) => value[position] !== null && value[position] !== undefined));
}

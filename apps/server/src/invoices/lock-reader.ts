import type { Tx } from '../db/transaction.ts';
import { lockAccount } from '../accounts/account-sql.ts';
import { isFrozen, lockChain } from '../chains/chain-sql.ts';
import { readReceiver } from '../transfers/transfer-sql.ts';

export type NamedTransfer = { network: string; txId: string; index: string };

/**
 * Locks the chain or account of a transfer until the caller commits: otherwise coverage could pass the transfer, and no
 * later commit would decide its invoice. Returns whether the network is frozen.
 */
export async function lockReader(tx: Tx, { network, txId, index }: NamedTransfer): Promise<{ frozen: boolean }> {
  const receiver = await readReceiver(tx, network, txId, index);
  const byAccount = receiver !== undefined && (await lockAccount(tx, network, receiver));
  if (byAccount) return { frozen: await isFrozen(tx, network) };
  const chain = await lockChain(tx, network);
  return { frozen: chain?.frozen ?? false };
}

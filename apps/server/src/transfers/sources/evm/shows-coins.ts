import { z } from 'zod';
import type { StatedCoins } from '../../chain-source.ts';
import { parseTransaction } from './transaction-receipt.ts';
import { getTransaction } from './rpc-call.ts';
import type { RpcProvider } from './rpc-provider.ts';

const transactionSchema = z.object({
  blockHash: z.string().nullable(),
  to: z.string().nullable(),
  value: z.string(),
});

function showsOne({ to, units, blockHash }: StatedCoins, raw: unknown): boolean | null {
  if (raw === null) return null;
  const transaction = parseTransaction(transactionSchema, raw);
  if (transaction.blockHash === null) return null;
  const sameReceiver = transaction.to?.toLowerCase() === to.toLowerCase();
  return sameReceiver && transaction.blockHash === blockHash && BigInt(transaction.value) === units;
}

/** Whether transactions move these coins, by what the provider has of each; a receipt has no value in it. */
export async function showsCoins(
  { call }: Pick<RpcProvider, 'call'>,
  coins: readonly StatedCoins[],
): Promise<(boolean | null)[]> {
  const answers = await call(coins.map(({ txId }) => getTransaction(txId)));
  return coins.map((coin, place) => showsOne(coin, answers[place] ?? null));
}

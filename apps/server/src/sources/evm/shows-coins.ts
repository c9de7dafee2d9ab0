import { z } from 'zod';
import type { StatedCoins } from '../chain-source.ts';
import { askInParts } from '../json-rpc/ask-in-parts.ts';
import { getTransaction } from '../json-rpc/rpc-call.ts';
import type { RpcProvider } from '../json-rpc/rpc-provider.ts';

/** Contract creations lack `to` and newer kinds lack `value`: neither moves coins directly. */
const transactionSchema = z.object({
  blockHash: z.string(),
  to: z.string().nullish(),
  value: z
    .string()
    .regex(/^0x[0-9a-f]+$/i)
    .nullish(),
});

/** Null when the transaction is unknown, in no block, or malformed. */
function showsOne({ to, units, blockHash }: StatedCoins, raw: unknown): boolean | null {
  const { data: transaction } = transactionSchema.safeParse(raw);
  if (!transaction) return null;
  if (!transaction.to || !transaction.value) return false;
  const isSameReceiver = transaction.to.toLowerCase() === to.toLowerCase();
  return isSameReceiver && transaction.blockHash === blockHash && BigInt(transaction.value) === units;
}

export async function showsCoins(
  provider: Pick<RpcProvider, 'call'>,
  coins: readonly StatedCoins[],
): Promise<(boolean | null)[]> {
  const answers = await askInParts(
    provider,
    coins.map(({ txId }) => getTransaction(txId)),
  );
  return coins.map((coin, position) => showsOne(coin, answers[position]));
}

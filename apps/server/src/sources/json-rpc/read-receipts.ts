import type { ChainReceipt } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import { askInParts } from './ask-in-parts.ts';
import type { TokenByContract } from './evm-decode.ts';
import { decodeReceipt } from './evm-decode.ts';
import { getReceipt } from './rpc-call.ts';
import type { RpcProvider } from './rpc-provider.ts';

export async function readReceipts(
  provider: RpcProvider,
  txIds: readonly string[],
  tokens: TokenByContract,
): Promise<(ChainReceipt | null)[]> {
  const answers = await askInParts(provider, txIds.map(getReceipt));
  return answers.map((answer, position) => {
    const receipt = decodeReceipt(answer, tokens);
    if (receipt && receipt.txId.toLowerCase() !== txIds[position]?.toLowerCase())
      throw new SourceError(
        'inconsistent',
        `The provider answered the receipt of ${receipt.txId} for ${txIds[position]}.`,
      );
    return receipt;
  });
}

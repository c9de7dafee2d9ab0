import type { Network } from '../../../networks/network.ts';
import { SourceError } from '../../chain-source.ts';
import type { TokenByContract } from './evm-decode.ts';
import type { RpcCall } from './rpc-call.ts';

const DECIMALS_CALL = '0x313ce567';

/** Throws when the provider serves another chain, or a token there has other decimals than in our list. */
export async function proveProvider(
  network: Network,
  tokens: TokenByContract,
  call: (calls: readonly RpcCall[]) => Promise<unknown[]>,
): Promise<void> {
  const calls = [...tokens.keys()].map((to) => ({
    method: 'eth_call',
    params: [{ to, data: DECIMALS_CALL }, 'latest'],
  }));
  const [chainId, ...decimals] = await call([{ method: 'eth_chainId', params: [] }, ...calls]);
  if (Number(chainId) !== network.chainId)
    throw new SourceError('unavailable', `A provider of ${network.symbol} serves chain ${Number(chainId)}.`);
  for (const [position, token] of [...tokens.values()].entries()) {
    const found = decimals[position] === '0x' ? Number.NaN : Number(decimals[position]);
    if (found !== token.decimals)
      throw new SourceError(
        'unavailable',
        `${token.symbol} on ${network.symbol} has ${found} decimals, not ${token.decimals}.`,
      );
  }
}

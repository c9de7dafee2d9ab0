import type { Network } from '../../networks/network.ts';
import { profileOf } from '../../networks/profile.ts';
import { SourceError } from '../chain-source.ts';
import type { SourceErrorKind } from '../chain-source.ts';
import type { TokenByContract } from './evm-decode.ts';
import { decodeBlock, toHex } from './evm-decode.ts';
import type { RpcAnswer } from './json-rpc.ts';
import { requireResults } from './json-rpc.ts';
import { getBlock } from './rpc-call.ts';
import type { RpcProvider } from './rpc-provider.ts';

const DECIMALS_CALL = '0x313ce567';
/** Errors of nodes without block 0, so that it cannot be compared. */
const NOT_KEPT: ReadonlySet<SourceErrorKind> = new Set<SourceErrorKind>(['unsupported', 'not-yet']);

const bare = (hash: string) => hash.toLowerCase().replace(/^0x/, '');

/** A fork with the same chain id, or a local chain, has a different block 0. */
function requireGenesis({ id }: Network, answer: RpcAnswer | undefined, genesisHash: string): void {
  if (answer?.error && NOT_KEPT.has(answer.error.kind)) return;
  const [raw] = requireResults(answer ? [answer] : []);
  const block = decodeBlock(raw ?? null);
  if (block && bare(block.hash) !== bare(genesisHash))
    throw new SourceError('unavailable', `A provider of ${id} shows another block 0: ${block.hash}.`, {
      wrongChain: true,
    });
}

/** Throws when the provider serves another chain, or a token has other decimals than listed. */
export async function proveProvider(
  network: Network,
  tokens: TokenByContract,
  { each }: RpcProvider,
  genesisHash = profileOf(network).genesisHash,
): Promise<void> {
  const calls = [...tokens.keys()].map((to) => ({
    method: 'eth_call',
    params: [{ to, data: DECIMALS_CALL }, 'latest'],
  }));
  const answers = await each([{ method: 'eth_chainId', params: [] }, getBlock(toHex(0)), ...calls]);
  const [chainId, ...decimals] = requireResults(answers.filter((_answer, position) => position !== 1));
  if (Number(chainId) !== network.chainId)
    throw new SourceError('unavailable', `A provider of ${network.id} serves chain ${Number(chainId)}.`, {
      wrongChain: true,
    });
  requireGenesis(network, answers[1], genesisHash);
  for (const [position, token] of [...tokens.values()].entries()) {
    const found = decimals[position] === '0x' ? Number.NaN : Number(decimals[position]);
    if (found !== token.decimals)
      throw new SourceError(
        'unavailable',
        `${token.symbol} on ${network.id} has ${found} decimals, not ${token.decimals}.`,
      );
  }
}

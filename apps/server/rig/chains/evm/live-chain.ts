import type { Anvil } from './anvil.ts';
import { startAnvil } from './anvil.ts';
import { installCanonicalTokens } from './token.ts';

const BLOCK_SECONDS = 1;

export type LiveChainOptions = {
  chainId: number;
  /** Any that is free unless given. */
  port?: number;
  /** `finalized` is twice as many blocks behind the head. */
  slotsInAnEpoch: number;
  /** How many times as fast as ours the chain's time runs; 1 unless given. */
  rate?: number;
};

/** A node with test tokens that makes a block every second of ours. */
export async function startLiveChain({ rate = 1, ...options }: LiveChainOptions): Promise<Anvil> {
  const anvil = await startAnvil(options);
  await installCanonicalTokens(anvil);
  if (rate !== 1) await anvil.rpc('anvil_setBlockTimestampInterval', [rate * BLOCK_SECONDS]);
  await anvil.rpc('evm_setIntervalMining', [BLOCK_SECONDS]);
  return anvil;
}

import type { Anvil } from './anvil.ts';
import { startAnvil } from './anvil.ts';
import { mine } from './reorg.ts';
import { installCanonicalTokens } from './token.ts';

const BLOCK_SECONDS = 1;
/** First reads keep up to five blocks away from the head; with four slots in an epoch a block is final after eight. */
const SEEN_BLOCKS = 6;
/** More blocks than a payment on any live chain needs until it is final. */
const FINAL_BLOCKS = 16;

export type LiveChainOptions = {
  chainId: number;
  /** Port to listen on; any free port unless given. */
  port?: number;
  /** Distance of `safe` behind the head, in blocks; `finalized` is twice as far behind. */
  slotsInAnEpoch: number;
  /** Speed of the chain's time relative to the machine's clock; 1 by default. */
  rate?: number;
};

export async function stopBlocks(anvil: Anvil): Promise<void> {
  await anvil.rpc('evm_setIntervalMining', [0]);
}

export async function resumeBlocks(anvil: Anvil): Promise<void> {
  await anvil.rpc('evm_setIntervalMining', [BLOCK_SECONDS]);
}

/** Makes a payment seen but not final, on a chain whose own blocks are stopped. */
export async function makeSeen(anvil: Anvil): Promise<void> {
  await mine(anvil, SEEN_BLOCKS);
}

/** Makes every payment so far final, without a wait for the chain's own blocks. */
export async function makeFinal(anvil: Anvil, { atTime }: { atTime?: number } = {}): Promise<void> {
  await mine(anvil, FINAL_BLOCKS, atTime === undefined ? {} : { atTime });
}

/** Starts a node with test tokens that makes a block every second of the machine's time. */
export async function startLiveChain({ rate = 1, ...options }: LiveChainOptions): Promise<Anvil> {
  const anvil = await startAnvil(options);
  await installCanonicalTokens(anvil);
  if (rate !== 1) await anvil.rpc('anvil_setBlockTimestampInterval', [rate * BLOCK_SECONDS]);
  await resumeBlocks(anvil);
  return anvil;
}

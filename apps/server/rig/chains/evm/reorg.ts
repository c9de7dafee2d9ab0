import type { Hex } from 'viem';
import { keccak256, numberToHex, pad } from 'viem';
import type { Anvil } from './anvil.ts';

export type Header = { number: number; hash: Hex; parentHash: Hex; timestamp: number };

export type MineOptions = {
  /** Time of the first block, in seconds; by default the node's clock continues. */
  atTime?: number;
  /** Seconds from each block to the next, and from the head to the first block unless `atTime` is given. */
  secondsBetween?: number;
};

export async function headerAt(chain: Anvil, at: number | 'latest' | 'safe' | 'finalized'): Promise<Header> {
  const block = typeof at === 'number' ? numberToHex(at) : at;
  type Answer = { number: Hex; hash: Hex; parentHash: Hex; timestamp: Hex } | null;
  const found = await chain.rpc<Answer>('eth_getBlockByNumber', [block, false]);
  if (!found) throw new Error(`There is no block ${at}.`);
  const { number, hash, parentHash, timestamp } = found;
  return { number: Number(number), hash, parentHash, timestamp: Number(timestamp) };
}

/** Sets each block's time to its parent's plus these seconds, however long the node takes to mine. */
async function withInterval(chain: Anvil, seconds: number, work: () => Promise<unknown>): Promise<void> {
  await chain.rpc('anvil_setBlockTimestampInterval', [seconds]);
  try {
    await work();
  } finally {
    await chain.rpc('anvil_removeBlockTimestampInterval');
  }
}

/** Mines pending transactions into the first block and leaves the other blocks empty. Returns the new head. */
export async function mine(chain: Anvil, blocks = 1, { atTime, secondsBetween }: MineOptions = {}): Promise<Header> {
  const work = () => chain.rpc('anvil_mine', [numberToHex(blocks)]);
  if (atTime !== undefined) await chain.rpc('evm_setNextBlockTimestamp', [atTime]);
  if (secondsBetween === undefined) await work();
  else await withInterval(chain, secondsBetween, work);
  return headerAt(chain, 'latest');
}

/** A signed transaction that a reorg includes again, and in which of the replaced blocks, counted from the lowest. */
export type Inclusion = { rawTransaction: Hex; offset: number };

let forks = 0;

/**
 * Replaces the newest blocks by as many other blocks, which hold only the given transactions; other transactions are
 * dropped and do not return to the pool. Block times follow the common ancestor's time, `secondsBetween` apart.
 */
export async function reorg(
  chain: Anvil,
  depth: number,
  inclusions: readonly Inclusion[] = [],
  { secondsBetween = 1 }: { secondsBetween?: number } = {},
): Promise<Header> {
  forks += 1;
  // Another miner's address is set, because an empty block of the same second would get its old hash.
  await chain.rpc('anvil_setCoinbase', [pad(numberToHex(forks), { size: 20 })]);
  const pairs = inclusions.map(({ rawTransaction, offset }) => [rawTransaction, offset]);
  await withInterval(chain, secondsBetween, () => chain.rpc('anvil_reorg', [depth, pairs]));
  const head = await headerAt(chain, 'latest');
  // The node silently leaves out transactions that it cannot run, such as a transaction with a used nonce.
  for (const { rawTransaction, offset } of inclusions) {
    type Receipt = { blockNumber: Hex } | null;
    const receipt = await chain.rpc<Receipt>('eth_getTransactionReceipt', [keccak256(rawTransaction)]);
    const wanted = head.number - depth + 1 + offset;
    if (Number(receipt?.blockNumber) !== wanted) throw new Error(`The node left a transaction out of block ${wanted}.`);
  }
  return head;
}

/** Takes the newest blocks away without replacing them: the head goes backwards. */
export async function rollback(chain: Anvil, blocks: number): Promise<Header> {
  await chain.rpc('anvil_rollback', [blocks]);
  return headerAt(chain, 'latest');
}

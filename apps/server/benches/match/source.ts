import { createHash } from 'node:crypto';
import { chainUnits } from '../../src/quotes/quote.ts';
import type { Network } from '../../src/networks/network.ts';
import { findToken } from '../../src/networks/network.ts';
import { headLagBlocks } from '../../src/networks/profile.ts';
import type { ChainSource, Pass } from '../../src/sources/chain-source.ts';
import { createEvmSource } from '../../src/sources/evm/evm-source.ts';
import type { BlockRef, ChainTransfer } from '../../src/sources/transfer.ts';
import { storeOf, TOKEN, unitsOf } from './seed.ts';

/** A chain in memory whose blocks the bench fills. Final blocks that were read are dropped. */

const FIRST_HEIGHT = 50_000_000;
/** Distance of the final block behind the head, as usual on the real chain. */
export const FINAL_DEPTH = 2;
const BLOCK_MS = 750;
const ADDRESS_CHARACTERS = 42;

const FIRST = 'bench';
const SECOND = 'other bench';

export type CannedChain = {
  source: ChainSource;
  /** Adds a block with these transfers. */
  add: (transfers: readonly ChainTransfer[]) => void;
  /** Payments of these quotes, to the addresses of their stores. */
  paymentsOf: (numbers: readonly number[]) => ChainTransfer[];
};

const hashOf = (height: number) => `0x${height.toString(16).padStart(64, '0')}`;

export function createCannedChain(network: Network, addresses: readonly string[], startSeconds: number): CannedChain {
  const token = findToken(network, TOKEN);
  if (!token) throw new Error(`${network.id} has no ${TOKEN}.`);
  const blocks = new Map<number, readonly ChainTransfer[]>();
  const transactions = new Map<string, ChainTransfer>();
  let top = FIRST_HEIGHT;
  const blockAt = (height: number): BlockRef => ({
    height,
    hash: hashOf(height),
    parentHash: hashOf(height - 1),
    time: startSeconds + Math.floor(((height - FIRST_HEIGHT) * BLOCK_MS) / 1000),
  });
  // Confirming tokens needs no provider, so the adapter's own function is used.
  const { confirm, maxRange, nativeFrom } = createEvmSource(network, []);
  const headLag = headLagBlocks(network);
  const answering = (pass: Pass) => (pass === 'first' ? FIRST : SECOND);
  const read: ChainSource['read'] = async ({ from, to, pass }) => {
    const heights = Array.from({ length: to - from + 1 }, (_unused, offset) => from + offset);
    const transfers = heights.flatMap((height) => blocks.get(height) ?? []);
    const by = answering(pass);
    if (by === SECOND) {
      for (const height of heights) blocks.delete(height);
      for (const { txId } of transfers) transactions.delete(txId);
    }
    return { blocks: heights.map(blockAt), transfers, by };
  };
  const source: ChainSource = {
    network,
    providers: [FIRST, SECOND],
    maxRange,
    nativeFrom,
    showsCoins: async (coins) => coins.map(() => true),
    receipts: async (txIds) =>
      txIds.map((txId) => {
        const transfer = transactions.get(txId);
        if (!transfer) return null;
        const { height, blockHash } = transfer;
        return { txId, height, blockHash, succeeded: true, transfers: [transfer] };
      }),
    confirm,
    verify: async () => {},
    heads: async (pass) => ({
      latest: blockAt(top + headLag),
      safe: null,
      finalized: blockAt(top - FINAL_DEPTH),
      by: answering(pass),
    }),
    blockAt: async (height) => (height > top + headLag ? null : blockAt(height)),
    read,
    readBlocks: read,
  };
  const paymentOf = (n: number): Omit<ChainTransfer, 'height' | 'blockHash'> => {
    const txId = `0x${createHash('sha256').update(`ours ${n}`).digest('hex')}`;
    const from = txId.slice(0, ADDRESS_CHARACTERS);
    const to = addresses[storeOf(n) - 1] ?? '';
    return { token: TOKEN, txId, index: `${TOKEN}:0`, from, to, units: chainUnits(BigInt(unitsOf(n)), token) };
  };
  return {
    source,
    add: (transfers) => {
      top += 1;
      const mined = transfers.map((transfer) => Object.assign(transfer, { height: top, blockHash: hashOf(top) }));
      blocks.set(top, mined);
      for (const transfer of mined) transactions.set(transfer.txId, { ...transfer, to: transfer.to.toLowerCase() });
    },
    paymentsOf: (numbers) => numbers.map((n) => ({ ...paymentOf(n), height: 0, blockHash: '' })),
  };
}

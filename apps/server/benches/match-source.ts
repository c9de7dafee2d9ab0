import { createHash } from 'node:crypto';
import { chainUnits } from '../src/invoices/quote.ts';
import type { Network } from '../src/networks/network.ts';
import { findToken } from '../src/networks/network.ts';
import type { ChainSource } from '../src/transfers/chain-source.ts';
import { createEvmSource } from '../src/transfers/sources/evm/evm-source.ts';
import type { BlockRef, ChainTransfer } from '../src/transfers/transfer.ts';
import { storeOf, TOKEN, unitsOf } from './match-seed.ts';

/** A chain in memory: what its blocks hold is put there by the bench. Final blocks that were read are forgotten. */

const FIRST_HEIGHT = 50_000_000;
/** As far behind the head as the real chain's last final block usually is. */
export const FINAL_DEPTH = 2;
const BLOCK_MS = 750;
const ADDRESS_CHARACTERS = 42;

export type CannedChain = {
  source: ChainSource;
  /** A new block with these transfers, as the chain would tell of them. */
  add: (transfers: readonly ChainTransfer[]) => void;
  /** Payments of these quotes, to the addresses of their stores. */
  paymentsOf: (numbers: readonly number[]) => ChainTransfer[];
};

const hashOf = (height: number) => `0x${height.toString(16).padStart(64, '0')}`;

export function createCannedChain(network: Network, addresses: readonly string[], startSeconds: number): CannedChain {
  const token = findToken(network, TOKEN);
  if (!token) throw new Error(`${network.symbol} has no ${TOKEN}.`);
  const blocks = new Map<number, readonly ChainTransfer[]>();
  let top = FIRST_HEIGHT;
  const blockAt = (height: number): BlockRef => ({
    height,
    hash: hashOf(height),
    parentHash: hashOf(height - 1),
    time: startSeconds + Math.floor(((height - FIRST_HEIGHT) * BLOCK_MS) / 1000),
  });
  // Confirming tokens asks nobody, so the adapter's own does it.
  const { confirm, maxRange, nativeFrom, secondQuestion, readBlocks, receipts } = createEvmSource(network, []);
  const source: ChainSource = {
    network,
    providers: ['bench', 'other bench'],
    maxRange,
    nativeFrom,
    secondQuestion,
    readBlocks,
    receipts,
    confirm,
    verify: async () => {},
    heads: async () => ({
      latest: blockAt(top + network.headLag),
      safe: null,
      finalized: blockAt(top - FINAL_DEPTH),
      by: 'bench',
    }),
    blockAt: async (height) => (height > top + network.headLag ? null : blockAt(height)),
    read: async ({ from, to, pass }) => {
      const heights = Array.from({ length: to - from + 1 }, (_unused, offset) => from + offset);
      const transfers = heights.flatMap((height) => blocks.get(height) ?? []);
      if (pass === 'second') for (const height of heights) blocks.delete(height);
      return { blocks: heights.map(blockAt), transfers, by: 'bench' };
    },
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
      blocks.set(
        top,
        transfers.map((transfer) => Object.assign(transfer, { height: top, blockHash: hashOf(top) })),
      );
    },
    paymentsOf: (numbers) => numbers.map((n) => ({ ...paymentOf(n), height: 0, blockHash: '' })),
  };
}

import type { Hex } from 'viem';
import { numberToHex } from 'viem';
import type { Anvil } from '../test/chain/anvil.ts';
import { canonicalTokens } from '../test/chain/token.ts';
import type { Side, Symbol } from './chain-world.ts';
import { SLOTS } from './chain-world.ts';

/** What the chain itself says, read and decoded without a line of the product's. */

export type TrueTransfer = { network: Symbol; tx: string; height: number; time: number; key: string };

export type TrueChain = {
  network: Symbol;
  head: number;
  /** Block times by height. */
  times: readonly number[];
  transfers: readonly TrueTransfer[];
};

type RawTransaction = { hash: Hex; to: Hex | null; value: Hex };
type RawBlock = { number: Hex; timestamp: Hex; transactions: RawTransaction[] };
type RawLog = { address: Hex; topics: Hex[]; data: Hex; blockNumber: Hex; transactionHash: Hex };

const CALLS_PER_BATCH = 100;
const TRANSFER_EVENT = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const LAST_20_BYTES = -40;

/** Who is paid how much of what: the only thing that tells a payment. */
export function paymentKey(network: string, token: string, to: string, units: bigint): string {
  return [network, token, to.toLowerCase(), units].join(' ');
}

async function callAll<Result>(anvil: Anvil, method: string, params: readonly unknown[][]): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < params.length; start += CALLS_PER_BATCH) {
    const calls = params.slice(start, start + CALLS_PER_BATCH).map((one) => ({ method, params: one }));
    results.push(...(await anvil.batch<Result>(calls)));
  }
  return results;
}

function tokenTransfers(side: Side, logs: readonly RawLog[], times: readonly number[]): TrueTransfer[] {
  const symbols = new Map(canonicalTokens(side.anvil.chainId).map((token) => [token.address.toLowerCase(), token]));
  return logs.flatMap((log) => {
    const token = symbols.get(log.address.toLowerCase());
    const [, , to] = log.topics;
    if (!token || to === undefined) return [];
    const height = Number(log.blockNumber);
    const key = paymentKey(side.symbol, token.symbol, `0x${to.slice(LAST_20_BYTES)}`, BigInt(log.data));
    return [{ network: side.symbol, tx: log.transactionHash, height, time: times[height] ?? 0, key }];
  });
}

async function coinTransfers(side: Side, blocks: readonly RawBlock[]): Promise<TrueTransfer[]> {
  const coin = side.symbol === 'BSC' ? 'BNB' : 'ETH';
  const moved = blocks.flatMap((block) =>
    block.transactions.flatMap(({ hash, to, value }) =>
      to === null || BigInt(value) === 0n ? [] : [{ hash, to, value, block }],
    ),
  );
  const receipts = await callAll<{ status: Hex }>(
    side.anvil,
    'eth_getTransactionReceipt',
    moved.map(({ hash }) => [hash]),
  );
  return moved.flatMap(({ hash, to, value, block }, position) =>
    receipts[position]?.status === '0x1'
      ? [
          {
            network: side.symbol,
            tx: hash,
            height: Number(block.number),
            time: Number(block.timestamp),
            key: paymentKey(side.symbol, coin, to, BigInt(value)),
          },
        ]
      : [],
  );
}

export async function readTruth(side: Side): Promise<TrueChain> {
  const { anvil, symbol } = side;
  const head = Number(await anvil.rpc<Hex>('eth_blockNumber'));
  const heights = Array.from({ length: head + 1 }, (_unused, height) => [numberToHex(height), true]);
  const blocks = await callAll<RawBlock>(anvil, 'eth_getBlockByNumber', heights);
  const times = blocks.map((block) => Number(block.timestamp));
  const filter = { fromBlock: '0x0', toBlock: numberToHex(head), topics: [TRANSFER_EVENT] };
  const logs = await anvil.rpc<RawLog[]>('eth_getLogs', [filter]);
  return {
    network: symbol,
    head,
    times,
    transfers: [...tokenTransfers(side, logs, times), ...(await coinTransfers(side, blocks))],
  };
}

const SMALL_USD = 1_000;
const MIDDLE_USD = 10_000;
const SMALL_CONFIRMATIONS = 12;
export const MIDDLE_CONFIRMATIONS = 64;

/** Blocks above a payment that the design asks for, written down a second time. */
export function requiredDepth(network: string, amountUsd: number): number {
  if (network === 'BSC') return 2 * SLOTS.BSC;
  if (amountUsd < SMALL_USD) return SMALL_CONFIRMATIONS - 1;
  // A larger sum never settles shallower than a smaller one, whatever this node calls final.
  return amountUsd < MIDDLE_USD ? MIDDLE_CONFIRMATIONS - 1 : Math.max(MIDDLE_CONFIRMATIONS - 1, 2 * SLOTS.ETH);
}

/** The deepest that a reorganisation may go without undoing what the shallowest rule calls settled. */
export function maxReorgDepth(network: Symbol): number {
  return network === 'BSC' ? 2 * SLOTS.BSC - 1 : SMALL_CONFIRMATIONS - 1;
}

import type { Hex } from 'viem';
import type { NetworkChain } from '../../rig/chains/evm/network-chain.ts';
import { canonicalTokens } from '../../rig/chains/evm/token.ts';

/** Contents of a chain, read and decoded without any code of the product. */

export type TrueTransfer = {
  network: string;
  tx: string;
  height: number;
  time: number;
  token: string;
  to: string;
  units: bigint;
  key: string;
};

export type TrueChain = {
  network: string;
  head: number;
  /** Block time in milliseconds; for a skipped slot, that of the previous block. */
  timeMsAt(height: number): number;
  transfers: readonly TrueTransfer[];
};

const TRANSFER_EVENT = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const LAST_20_BYTES = -40;
const SECOND_MS = 1_000;

/** Block time in whole seconds, as headers show it. */
export const secondsAt = (chain: TrueChain, height: number) => Math.floor(chain.timeMsAt(height) / SECOND_MS);

/** Key of a payment: network, token, receiver and amount, the only facts that identify it. */
export function paymentKey(network: string, token: string, to: string, units: bigint): string {
  return [network, token, to.toLowerCase(), units].join(' ');
}

export type ReadOptions = {
  chain: NetworkChain;
  coin: string;
  /** Converts addresses and transaction ids to the network's notation. */
  addressOf: (hex: string) => string;
  txOf: (hash: string) => string;
};

/** All transfers on a simulated chain. */
export function readTruth({ chain, coin, addressOf, txOf }: ReadOptions): TrueChain {
  const network = chain.symbol;
  const symbols = new Map(
    canonicalTokens(chain.network.chainId ?? 0).map((one) => [one.address.toLowerCase(), one.symbol]),
  );
  const head = chain.head();
  const transfers: TrueTransfer[] = [];
  for (let height = 0; height <= head; height += 1) {
    const block = chain.block(height);
    if (!block) throw new Error(`${network} has no block ${height}.`);
    const time = Math.floor(block.timeMs / SECOND_MS);
    const add = (hash: string, token: string, hex: string, units: bigint) => {
      const to = addressOf(hex);
      transfers.push({
        network,
        tx: txOf(hash),
        height,
        time,
        token,
        to,
        units,
        key: paymentKey(network, token, to, units),
      });
    };
    for (const { transaction, receipt } of block.paid) {
      if (receipt.status !== '0x1') continue;
      for (const { address, topics, data } of receipt.logs) {
        const token = symbols.get(address.toLowerCase());
        const [event, , to] = topics;
        if (token && event === TRANSFER_EVENT && to)
          add(transaction.hash, token, `0x${to.slice(LAST_20_BYTES)}`, BigInt(data));
      }
      const value = BigInt(transaction['value'] as Hex);
      const to = transaction['to'] as Hex | null;
      if (to !== null && value > 0n) add(transaction.hash, coin, to, value);
    }
  }
  return { network, head, transfers, timeMsAt: (height) => chain.block(height)?.timeMs ?? 0 };
}

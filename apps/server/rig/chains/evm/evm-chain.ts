import type { Address, Hex } from 'viem';
import type { Anvil } from './anvil.ts';
import { payByBatch } from './payment.ts';
import type { Header } from './reorg.ts';
import { mine, reorg } from './reorg.ts';
import { ACCOUNT_KEYS } from './sender.ts';
import { sendSigned, signPayment } from './signed.ts';
import type { EvmBlock, EvmLog, EvmTransaction } from '../tron/block.ts';
import { readEvmReceipts, toHex } from '../tron/block.ts';
import type { Again, Arrival, RigHead, RigPayment, RigShare } from '../chain-rig.ts';

/**
 * Parts that rigs on a real EVM node share: payments that a reorg can put into another block, and arrivals as the node
 * itself shows them.
 */

const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

const headOf = ({ number, timestamp }: Header): RigHead => ({ height: number, time: timestamp });

export type EvmChainOptions = {
  anvil: Anvil;
  token: { symbol: string; address: Address };
  coin: string;
  /** Converts addresses and transaction ids between the network's notation and the EVM's. */
  toHexAddress: (address: string) => Address;
  txIdOf: (hash: Hex) => string;
  isCoin: (transaction: EvmTransaction) => boolean;
  blockSeconds: number;
};

export function createEvmChain(options: EvmChainOptions) {
  const { anvil, token, coin, toHexAddress, txIdOf, isCoin, blockSeconds } = options;
  const raw = new Map<string, Hex>();
  let payments = 0;

  /**
   * Pays from several payers in turn: a payment that a reorg dropped leaves a gap in its payer's nonces, which would
   * block that payer's next payment.
   */
  async function pay(to: string, units: bigint, contract?: Address): Promise<string> {
    payments += 1;
    const payer = 1 + (payments % (ACCOUNT_KEYS.length - 1));
    const target = { payer, to: toHexAddress(to), units };
    const signed = await signPayment(anvil, contract ? { ...target, token: contract } : target);
    await sendSigned(anvil, signed);
    raw.set(txIdOf(signed.hash), signed.rawTransaction);
    return txIdOf(signed.hash);
  }

  function rawOf(txId: string): Hex {
    const found = raw.get(txId);
    if (!found) throw new Error(`The rig did not send ${txId}.`);
    return found;
  }

  async function tokenArrivals(wanted: ReadonlyMap<string, string>): Promise<Arrival[]> {
    const filter = { fromBlock: '0x0', toBlock: 'latest', address: token.address, topics: [TRANSFER_TOPIC] };
    const logs = await anvil.rpc<EvmLog[]>('eth_getLogs', [filter]);
    return logs.flatMap((log) => {
      const to = wanted.get(`0x${(log.topics[2] ?? '').slice(26)}`);
      if (to === undefined || BigInt(log.data) === 0n) return [];
      const time = Number(log.blockTimestamp);
      return [{ txId: txIdOf(log.transactionHash), token: token.symbol, to, units: BigInt(log.data), time }];
    });
  }

  async function coinArrivals(wanted: ReadonlyMap<string, string>): Promise<Arrival[]> {
    const head = Number(await anvil.rpc<Hex>('eth_blockNumber'));
    const found: Arrival[] = [];
    for (let height = 0; height <= head; height += 1) {
      const block = await anvil.rpc<EvmBlock>('eth_getBlockByNumber', [toHex(height), true]);
      const hits = block.transactions.filter(
        (one) => wanted.has((one.to ?? '').toLowerCase()) && BigInt(one.value) > 0n && isCoin(one),
      );
      if (hits.length === 0) continue;
      const receipts = await readEvmReceipts({ chain: anvil, head, solid: 0 }, height);
      for (const { hash, to, value, transactionIndex } of hits) {
        if (receipts[Number(transactionIndex)]?.status !== '0x1') continue;
        const address = wanted.get((to ?? '').toLowerCase()) ?? '';
        const time = Number(block.timestamp);
        found.push({ txId: txIdOf(hash), token: coin, to: address, units: BigInt(value), time });
      }
    }
    return found;
  }

  return {
    rawOf,
    mine: async (blocks: number, times: { atTime?: number; secondsBetween?: number }) =>
      headOf(await mine(anvil, blocks, times)),
    payToken: ({ to, units }: RigPayment) => pay(to, units, token.address),
    payCoin: ({ to, units }: RigPayment) => pay(to, units),
    payTogether: async (list: readonly RigShare[]) => {
      const batch = list.map(({ to, units }) => ({ token: token.address, to: toHexAddress(to), units }));
      return txIdOf(await payByBatch(anvil, batch));
    },
    reorg: async (depth: number, again: readonly Again[] = []) => {
      const inclusions = again.map(({ txId, offset }) => ({ rawTransaction: rawOf(txId), offset }));
      return headOf(await reorg(anvil, depth, inclusions, { secondsBetween: blockSeconds }));
    },
    arrivals: async (addresses: readonly string[]) => {
      const wanted = new Map(addresses.map((address) => [toHexAddress(address).toLowerCase(), address]));
      return [...(await tokenArrivals(wanted)), ...(await coinArrivals(wanted))];
    },
  };
}

import { z } from 'zod';
import { steadyClock } from '../../lib/clock.ts';
import type { Network } from '../../networks/network.ts';
import type { InspectedTransaction, InspectionLimits } from '../inspected-transaction.ts';
import { requireBlock } from '../json-rpc/read-range.ts';
import { parseTransaction, readReceipt } from '../json-rpc/transaction-receipt.ts';
import { coinMoveOf, decodeWalletBlock, tronAddress, tronBlock, tronTokens } from './tron-decode.ts';
import type { TronEndpoint } from './tron-endpoint.ts';
import { createTronEndpoint } from './tron-endpoint.ts';

const TX_ID = /^(?:0x)?([0-9a-f]{64})$/i;

const transactionSchema = z.object({ to: z.string().nullable(), value: z.string(), input: z.string() });

type Coin = InspectedTransaction['coin'];
const NO_COIN: Coin = { to: null, units: 0n };

/** Undefined until the block is solidified: before, a vote looks like a coin transfer. */
async function coinOfTransaction(
  endpoint: TronEndpoint,
  txId: string,
  height: number,
  transaction: z.infer<typeof transactionSchema>,
): Promise<Coin | undefined> {
  const units = BigInt(transaction.value);
  if (units === 0n) return NO_COIN;
  // With input it calls or creates a contract, so its coins went to that contract.
  if (transaction.input !== '0x')
    return { to: transaction.to === null ? null : tronAddress(transaction.to), units, throughContract: true };
  const block = decodeWalletBlock(await endpoint.ask('getblockbynum', { num: height }));
  const found = block?.transactions.find(({ txID }) => txID === txId);
  if (!found) return undefined;
  const move = coinMoveOf(found);
  return move ? { to: move.to, units: move.units } : NO_COIN;
}

/** Null when the transaction is unknown, not mined, or its coins cannot be determined yet. */
export async function inspectTronTransaction(
  network: Network,
  url: string,
  txId: string,
  limits?: InspectionLimits,
): Promise<InspectedTransaction | null> {
  const digits = TX_ID.exec(txId)?.[1]?.toLowerCase();
  if (digits === undefined) return null;
  const endpoint = createTronEndpoint(url, steadyClock, limits);
  const receipt = await readReceipt(endpoint.call, `0x${digits}`);
  if (!receipt) return null;
  const { height } = receipt;
  const transaction = parseTransaction(transactionSchema, receipt.transaction);
  const coin = await coinOfTransaction(endpoint, digits, height, transaction);
  if (!coin) return null;
  const tokens = tronTokens(network);
  return {
    succeeded: receipt.succeeded,
    height,
    time: tronBlock(requireBlock(receipt.block, `${height}`)).time,
    transfers: receipt.transfers.map(({ contract, to, units }) => ({
      token: tokens.get(contract.toLowerCase())?.symbol ?? null,
      contract: tronAddress(contract),
      to: tronAddress(to),
      units,
    })),
    coin,
  };
}

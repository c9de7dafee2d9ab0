import { z } from 'zod';
import type { Network } from '../../networks/network.ts';
import type { InspectedTransaction, InspectionLimits } from '../inspected-transaction.ts';
import { tokensByContract } from '../json-rpc/evm-decode.ts';
import type { RpcCall } from '../json-rpc/rpc-call.ts';
import { callBatch } from '../json-rpc/json-rpc.ts';
import { parseTransaction, readReceipt } from '../json-rpc/transaction-receipt.ts';

const hex = z.string().regex(/^0x[0-9a-f]+$/i);
const TX_ID = /^0x[0-9a-f]{64}$/i;

const transactionSchema = z.object({ to: z.string().nullish(), value: hex.nullish(), input: z.string().default('0x') });

/** Coins that the transaction itself moves: none without a value field; `to` is null for contract creation. */
function coinOf(to: string | null | undefined, value: string | null | undefined): { to: string | null; units: bigint } {
  if (value === null || value === undefined) return { to: null, units: 0n };
  return { to: to ?? null, units: BigInt(value) };
}

const blockSchema = z.object({ timestamp: z.string() });

/** Null when the transaction is unknown or not mined. */
export async function inspectEvmTransaction(
  network: Network,
  url: string,
  txId: string,
  limits: InspectionLimits,
): Promise<InspectedTransaction | null> {
  if (!TX_ID.test(txId)) return null;
  const call = (calls: readonly RpcCall[]) => callBatch(url, calls, limits);
  const receipt = await readReceipt(call, txId);
  if (!receipt) return null;
  const { to, value, input } = parseTransaction(transactionSchema, receipt.transaction);
  const tokens = tokensByContract(network);
  return {
    succeeded: receipt.succeeded,
    height: receipt.height,
    time: Number(parseTransaction(blockSchema, receipt.block).timestamp),
    transfers: receipt.transfers.map(({ contract, to: receiver, units }) => ({
      token: tokens.get(contract.toLowerCase())?.symbol ?? null,
      contract,
      to: receiver,
      units,
    })),
    coin: { ...coinOf(to, value), throughContract: input !== '0x' },
  };
}

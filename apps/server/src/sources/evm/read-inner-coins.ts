import { z } from 'zod';
import { SourceError } from '../chain-source.ts';
import type { InnerCoins, InnerCoinsRequest } from '../named-coins.ts';
import type { TokenByContract } from '../json-rpc/evm-decode.ts';
import { toHex } from '../json-rpc/evm-decode.ts';
import { getBlock, getBlockReceipts } from '../json-rpc/rpc-call.ts';
import type { RpcCall } from '../json-rpc/rpc-call.ts';
import type { RpcProvider } from '../json-rpc/rpc-provider.ts';
import type { TracedCoins } from './trace-coins.ts';
import { decodeCallTrace, decodeFlatTrace } from './trace-coins.ts';

/** Reads coins that a contract passed on: by trace, otherwise by balances around the block. */

const TRACER = { tracer: 'callTracer', timeout: '5s' };
/** Gas of a plain transfer: with no more gas, no code ran and no coins were passed on. */
const PLAIN_GAS = 21_000n;

/** Calls optional methods; undefined when refused. Rate limits throw: they say nothing about the method. */
async function tryCalls({ call }: RpcProvider, calls: readonly RpcCall[]): Promise<unknown[] | undefined> {
  try {
    return await call(calls);
  } catch (cause) {
    if (!(cause instanceof SourceError) || cause.kind === 'rate') throw cause;
    return undefined;
  }
}

async function readTrace(provider: RpcProvider, txId: string, to: string): Promise<TracedCoins | undefined> {
  const geth = await tryCalls(provider, [{ method: 'debug_traceTransaction', params: [txId, TRACER] }]);
  const traced = geth && decodeCallTrace(geth[0], to);
  if (traced) return traced;
  const flat = await tryCalls(provider, [{ method: 'trace_transaction', params: [txId] }]);
  return flat && decodeFlatTrace(flat[0], to);
}

const quantity = z
  .string()
  .regex(/^0x[0-9a-f]+$/i)
  .transform(BigInt);
const receiptsSchema = z.array(
  z.object({ transactionHash: z.string(), status: z.string(), gasUsed: quantity, to: z.string().nullish() }),
);
const wholeBlockSchema = z.object({
  hash: z.string(),
  miner: z.string(),
  withdrawals: z.array(z.object({ address: z.string() })).nullish(),
  transactions: z.array(
    z.object({ hash: z.string(), from: z.string(), to: z.string().nullish(), value: quantity.nullish() }),
  ),
});

type WholeBlock = z.infer<typeof wholeBlockSchema>;
type Receipts = z.infer<typeof receiptsSchema>;

const isKnown = (values: readonly (bigint | undefined)[]): values is bigint[] => !values.includes(undefined);
const isSame = (address: string | null | undefined, to: string) => address?.toLowerCase() === to;

/** Whether another transaction, the block reward or a withdrawal may have credited the address unseen. */
function isAmbiguous(
  { txId, to }: InnerCoinsRequest,
  block: WholeBlock,
  receipts: Receipts,
  tokens: TokenByContract,
): boolean {
  if (isSame(block.miner, to) || block.withdrawals?.some(({ address }) => isSame(address, to)) === true) return true;
  return receipts.some(
    (receipt) =>
      receipt.transactionHash !== txId &&
      receipt.status === '0x1' &&
      receipt.gasUsed > PLAIN_GAS &&
      // Listed token contracts hold no coins and pass none on, so calls to them are not ambiguous.
      !tokens.has(receipt.to?.toLowerCase() ?? ''),
  );
}

async function readBalances(
  provider: RpcProvider,
  request: InnerCoinsRequest,
  tokens: TokenByContract,
): Promise<InnerCoins> {
  const { txId, height, blockHash, to } = request;
  const balanceAt = (at: number) => ({ method: 'eth_getBalance', params: [to, toHex(at)] });
  const balances = await tryCalls(provider, [balanceAt(height - 1), balanceAt(height)]);
  const parsed = z.tuple([quantity, quantity]).safeParse(balances);
  if (!parsed.success) return { how: 'unknown', why: 'pruned' };
  const [rawBlock, rawReceipts] =
    (await tryCalls(provider, [getBlock(toHex(height), true), getBlockReceipts(toHex(height))])) ?? [];
  const block = wholeBlockSchema.safeParse(rawBlock).data;
  const receipts = receiptsSchema.safeParse(rawReceipts).data;
  const named = block?.transactions.find(({ hash }) => hash === txId);
  if (!block || !receipts || !named || block.transactions.length !== receipts.length)
    return { how: 'unknown', why: 'ambiguous' };
  if (block.hash !== blockHash) throw new SourceError('inconsistent', `Block ${height} is another one.`);
  if (isAmbiguous(request, block, receipts, tokens)) return { how: 'unknown', why: 'ambiguous' };
  const gain = parsed.data[1] - parsed.data[0];
  const succeeded = new Set(receipts.filter(({ status }) => status === '0x1').map((one) => one.transactionHash));
  const direct = block.transactions
    .filter((transaction) => isSame(transaction.to, to) && succeeded.has(transaction.hash))
    .map(({ value }) => value ?? undefined);
  // A transaction of unknown kind, without a value field, may have brought any part of the gain.
  if (!isKnown(direct)) return { how: 'unknown', why: 'ambiguous' };
  const units = isSame(named.from, to) ? 0n : direct.reduce((left, value) => left - value, gain);
  return { how: 'balances', units: units > 0n ? units : 0n, from: named.from.toLowerCase(), gain };
}

export async function readInnerCoins(
  provider: RpcProvider,
  asked: InnerCoinsRequest,
  tokens: TokenByContract,
): Promise<InnerCoins> {
  const request = { ...asked, to: asked.to.toLowerCase() };
  const traced = await readTrace(provider, request.txId, request.to);
  return traced ? { how: 'trace', ...traced } : readBalances(provider, request, tokens);
}

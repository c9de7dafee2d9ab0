import type { Network } from '../../networks/network.ts';
import type { NetworkProfile } from '../../networks/profile.ts';
import { profileOf } from '../../networks/profile.ts';
import type { ReadRequest } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import type { BlockRef, ChainTransfer } from '../transfer.ts';
import { NATIVE_INDEX } from '../transfer.ts';
import { decodeBlockReceipts, txIdsOf } from './block-receipts.ts';
import type { TokenByContract } from './evm-decode.ts';
import { toHex } from './evm-decode.ts';
import type { RpcAnswer } from './json-rpc.ts';
import type { LogsRead, RangeRead, Wanted } from './read-range.ts';
import { readRange, requireBlockAt, requireLinks, TAIL_BLOCKS } from './read-range.ts';
import { getBlock, getBlockReceipts } from './rpc-call.ts';
import type { RpcProvider } from './rpc-provider.ts';

/**
 * Checks the end of a range, where the log index may lag. Receipts are stored with the block and null until it is
 * executed, so they show missing logs.
 */

/** Longest usual time, in seconds, without a transfer of a busy token. */
const QUIET_SECONDS = 10;

/** `doubt`: why the read may lack transfers at its end. */
export type DoubtedRead = RangeRead & { doubt?: string };

type TailBlock = { block: BlockRef; raw: unknown; receipts: RpcAnswer | undefined };

/** Reads the end of a range by receipts; known headers are reused. */
async function readTail({ to }: ReadRequest, from: number, read: LogsRead, provider: RpcProvider) {
  const heights = Array.from({ length: to - from + 1 }, (_unused, offset) => from + offset);
  const missing = heights.filter((height) => !read.rawTail.has(height));
  const headers = await provider.call(missing.map((height) => getBlock(toHex(height))));
  const raw = new Map([...read.rawTail, ...missing.map((height, position) => [height, headers[position]] as const)]);
  const answers = await provider.each(heights.map((height) => getBlockReceipts(toHex(height))));
  const tail = heights.map((height, position): TailBlock => {
    const block = requireBlockAt(raw.get(height), height);
    return { block, raw: raw.get(height), receipts: answers[position] };
  });
  requireLinks(tail.map(({ block }) => block));
  return tail;
}

function decodeTail({ block, raw, receipts }: TailBlock, tokens: TokenByContract): ChainTransfer[] {
  if (receipts?.error) throw receipts.error;
  return decodeBlockReceipts(receipts?.result ?? null, block, txIdsOf(raw), tokens);
}

const keyOf = ({ height, txId, index, to, units }: ChainTransfer) => `${height} ${txId} ${index} ${to} ${units}`;

/** Counts transfers that are in receipts and not in logs. Throws when a logged transfer has no receipt. */
function countLacking(logs: readonly ChainTransfer[], receipts: readonly ChainTransfer[]): number {
  const logged = new Set(logs.map(keyOf));
  const proven = new Set(receipts.map(keyOf));
  const extra = logs.find((transfer) => !proven.has(keyOf(transfer)));
  if (extra) throw new SourceError('inconsistent', `Logs and receipts disagree at ${extra.height}.`);
  return receipts.filter((transfer) => !logged.has(keyOf(transfer))).length;
}

const logsFrom = ({ transfers }: RangeRead, from: number) =>
  transfers.filter(({ index, height }) => index !== NATIVE_INDEX && height >= from);

/**
 * On networks that serve headers before execution, compares every possibly unexecuted block with its receipts: the logs
 * may come from a backend that has executed fewer.
 */
async function requireExecuted(
  request: ReadRequest,
  read: LogsRead,
  profile: NetworkProfile,
  tokens: TokenByContract,
  provider: RpcProvider,
): Promise<void> {
  const unexecuted = Math.ceil(profile.unexecutedSeconds / profile.blockSeconds);
  const from = Math.max(request.from, request.to - Math.min(unexecuted, TAIL_BLOCKS) + 1);
  const tail = await readTail(request, from, read, provider);
  const proven = tail.flatMap((one) => decodeTail(one, tokens));
  if (countLacking(logsFrom(read, from), proven) > 0)
    throw new SourceError('not-yet', `The provider has not executed all blocks up to ${request.to}.`);
}

/** First block of the range's last seconds: by header times if complete, otherwise by average block time. */
function quietFrom({ from, to }: ReadRequest, blocks: readonly BlockRef[], { blockSeconds }: NetworkProfile): number {
  const end = blocks.at(-1);
  if (!end || blocks.length !== to - from + 1) return Math.max(from, to - Math.ceil(QUIET_SECONDS / blockSeconds) + 1);
  return blocks.find(({ time }) => time > end.time - QUIET_SECONDS)?.height ?? to;
}

function isQuiet(request: ReadRequest, read: RangeRead, profile: NetworkProfile): boolean {
  const from = quietFrom(request, read.blocks, profile);
  return !logsFrom(read, from).some(({ token }) => profile.busyTokens.includes(token));
}

/** Checks a range that ends without busy tokens: fine if the last block's receipts show nothing more. */
async function judgeSilence(
  request: ReadRequest,
  read: LogsRead,
  tokens: TokenByContract,
  provider: RpcProvider,
): Promise<DoubtedRead> {
  const { to } = request;
  const { rawTail: _raw, ...found } = read;
  const { transfers } = found;
  const [last] = await readTail(request, to, read, provider);
  const receipts = last?.receipts;
  if (receipts?.error?.kind === 'rate') throw receipts.error;
  if (!last || !receipts || receipts.error || receipts.result === null)
    return { ...found, doubt: `Tokens are silent up to ${to}, and the provider has no receipts of it.` };
  const proven = decodeTail(last, tokens);
  if (countLacking(logsFrom(read, to), proven) === 0) return found;
  const others = transfers.filter(({ index, height }) => index === NATIVE_INDEX || height !== to);
  return { ...found, transfers: [...others, ...proven], doubt: `Receipts of ${to} show transfers that the logs lack.` };
}

/** Reads logs, and whether some may be missing at the end. */
export async function proveTail(
  network: Network,
  request: ReadRequest,
  wanted: Wanted,
  provider: RpcProvider,
): Promise<DoubtedRead> {
  const profile = profileOf(network);
  const read = await readRange(request, wanted, provider);
  if (profile.unexecutedSeconds > 0) await requireExecuted(request, read, profile, wanted.tokens, provider);
  if (profile.busyTokens.length > 0 && isQuiet(request, read, profile))
    return judgeSilence(request, read, wanted.tokens, provider);
  const { rawTail: _raw, ...found } = read;
  return found;
}

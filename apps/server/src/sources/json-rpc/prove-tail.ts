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
 * Checks the end of a range, where the index of logs may be behind the headers. Receipts are kept with the block and
 * are null until the answering node has executed the block, so receipts show what the logs may lack.
 */

/** Longest time, in seconds, for which a busy token normally has no transfer. */
const QUIET_SECONDS = 10;

/** A read of a range; `doubt` says why it may lack transfers at its end. */
export type DoubtedRead = RangeRead & { doubt?: string };

type TailBlock = { block: BlockRef; raw: unknown; receipts: RpcAnswer | undefined };

/** Reads the blocks from a height to the range's end with receipts; headers already read are not asked for again. */
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

/** Counts transfers that receipts show and the logs lack. Throws when the logs show a transfer that no receipt has. */
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
 * Compares the newest blocks with their receipts, on networks that serve headers before blocks are executed. Every
 * block that may be unexecuted is compared: the logs may come from a backend that has executed fewer blocks.
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

/**
 * First block of the range's last seconds: by the times of its headers if the range has all of them, else by the
 * average block time.
 */
function quietFrom({ from, to }: ReadRequest, blocks: readonly BlockRef[], { blockSeconds }: NetworkProfile): number {
  const end = blocks.at(-1);
  if (!end || blocks.length !== to - from + 1) return Math.max(from, to - Math.ceil(QUIET_SECONDS / blockSeconds) + 1);
  return blocks.find(({ time }) => time > end.time - QUIET_SECONDS)?.height ?? to;
}

/** Whether no busy token, which normally moves all the time, moved in the last seconds of the range. */
function isQuiet(request: ReadRequest, read: RangeRead, profile: NetworkProfile): boolean {
  const from = quietFrom(request, read.blocks, profile);
  return !logsFrom(read, from).some(({ token }) => profile.busyTokens.includes(token));
}

/**
 * Checks a range whose end has no transfers of busy tokens: if the last block's receipts show nothing more, there is no
 * doubt.
 */
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

/** Reads the logs of a range and says whether logs may be missing at its end. */
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

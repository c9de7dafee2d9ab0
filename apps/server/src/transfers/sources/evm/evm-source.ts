import type { Network } from '../../../networks/network.ts';
import type { ChainRead, ChainSource, Heads, ReadRequest } from '../../chain-source.ts';
import { SourceError } from '../../chain-source.ts';
import type { BlockRef, ChainTransfer } from '../../transfer.ts';
import { NATIVE_INDEX } from '../../transfer.ts';
import { createChecksum } from './checksum-address.ts';
import { decodeBlock, decodeLogs, decodeNative, tokensByContract, toHex, TRANSFER_TOPIC } from './evm-decode.ts';
import type { TokenByContract } from './evm-decode.ts';
import type { RpcCall } from './json-rpc.ts';
import { callBatch, isTimeout, TIMEOUT_MS } from './json-rpc.ts';

/** An EVM chain behind one or more providers. */

const MAX_RANGE = 2_000;
const MAX_RECEIPTS_PER_BATCH = 100;
const DECIMALS_CALL = '0x313ce567';

type Pass = 'first' | 'second';

/** The first pass starts with the first provider, the second with the second; the others stand by. */
function inTurn(urls: readonly string[], pass: Pass): string[] {
  const start = pass === 'second' && urls.length > 1 ? 1 : 0;
  return [...urls.slice(start), ...urls.slice(0, start)];
}

type Ask = (pass: Pass, calls: readonly RpcCall[]) => Promise<unknown[]>;

/** Asks one provider after the other. None is believed before it has proved that it serves this network. */
function createAsk(urls: readonly string[], timeoutMs: number, prove: (url: string) => Promise<void>): Ask {
  const proved = new Set<string>();
  return async (pass, calls) => {
    let last: unknown;
    for (const url of inTurn(urls, pass)) {
      try {
        if (!proved.has(url)) await prove(url);
        proved.add(url);
        return await callBatch(url, calls, timeoutMs);
      } catch (cause) {
        // Another provider has limits of its own, but the same range is better asked in smaller pieces.
        if (cause instanceof SourceError && cause.kind === 'range' && !isTimeout(cause)) throw cause;
        last = cause;
      }
    }
    throw last ?? new SourceError('unavailable', 'No provider is configured.');
  };
}

const getBlock = (at: string, whole = false): RpcCall => ({ method: 'eth_getBlockByNumber', params: [at, whole] });

function requireBlock(raw: unknown, what: string): BlockRef {
  const block = decodeBlock(raw);
  if (!block) throw new SourceError('inconsistent', `The provider has no ${what} block.`);
  return block;
}

function heightsOf(request: ReadRequest): number[] {
  if (request.headers === 'ends' && !request.native)
    return request.from === request.to ? [request.to] : [request.from, request.to];
  return Array.from({ length: request.to - request.from + 1 }, (_unused, offset) => request.from + offset);
}

/** A log whose block is not the one that the same answer shows at its height comes from another chain than the headers. */
function requireAgreement(
  blocks: readonly BlockRef[],
  transfers: readonly ChainTransfer[],
  request: ReadRequest,
): void {
  const hashes = new Map(blocks.map((block) => [block.height, block.hash]));
  for (const transfer of transfers) {
    const known = hashes.get(transfer.height);
    const outside = transfer.height < request.from || transfer.height > request.to;
    if (outside || (known !== undefined && known !== transfer.blockHash)) {
      throw new SourceError('inconsistent', `Logs and headers disagree at ${transfer.height}.`);
    }
  }
}

/** Throws when the provider serves another chain, or a token there has other decimals than in our list. */
async function proveProvider(network: Network, url: string, tokens: TokenByContract, timeoutMs: number): Promise<void> {
  const calls = [...tokens.keys()].map((to) => ({
    method: 'eth_call',
    params: [{ to, data: DECIMALS_CALL }, 'latest'],
  }));
  const [chainId, ...decimals] = await callBatch(url, [{ method: 'eth_chainId', params: [] }, ...calls], timeoutMs);
  if (Number(chainId) !== network.chainId)
    throw new SourceError('unavailable', `A provider of ${network.symbol} serves chain ${Number(chainId)}.`);
  for (const [position, token] of [...tokens.values()].entries()) {
    const found = decimals[position] === '0x' ? Number.NaN : Number(decimals[position]);
    if (found !== token.decimals)
      throw new SourceError(
        'unavailable',
        `${token.symbol} on ${network.symbol} has ${found} decimals, not ${token.decimals}.`,
      );
  }
}

/** Only whole blocks list failed transactions, so only coins need their receipts. Senders are shown in their checksummed form. */
async function confirmSuccess(
  ask: Ask,
  checksum: (address: string) => string,
  transfers: readonly ChainTransfer[],
  pass: Pass,
): Promise<ChainTransfer[]> {
  const failed = new Set<string>();
  const native = transfers.filter((transfer) => transfer.index === NATIVE_INDEX);
  for (let start = 0; start < native.length; start += MAX_RECEIPTS_PER_BATCH) {
    const part = native.slice(start, start + MAX_RECEIPTS_PER_BATCH);
    const receipts = await ask(
      pass,
      part.map(({ txId }) => ({ method: 'eth_getTransactionReceipt', params: [txId] })),
    );
    for (const [position, transfer] of part.entries()) {
      const receipt = receipts[position] as { status?: string; blockHash?: string } | null;
      if (receipt?.blockHash !== transfer.blockHash)
        throw new SourceError('inconsistent', `No receipt of ${transfer.txId} in its block.`);
      if (receipt.status !== '0x1') failed.add(transfer.txId);
    }
  }
  const succeeded = transfers.filter((transfer) => transfer.index !== NATIVE_INDEX || !failed.has(transfer.txId));
  return succeeded.map((transfer) => Object.assign({}, transfer, { from: checksum(transfer.from) }));
}

export function createEvmSource(network: Network, urls: readonly string[], timeoutMs = TIMEOUT_MS): ChainSource {
  const tokens = tokensByContract(network);
  const prove = (url: string) => proveProvider(network, url, tokens, timeoutMs);
  const ask = createAsk(urls, timeoutMs, prove);
  const checksum = createChecksum();
  const contracts = [...tokens.keys()];
  const nativeToken = network.tokens.find((token) => token.contract === null);

  async function read(request: ReadRequest): Promise<ChainRead> {
    const heights = heightsOf(request);
    const filter = {
      fromBlock: toHex(request.from),
      toBlock: toHex(request.to),
      address: contracts,
      topics: [TRANSFER_TOPIC],
    };
    const calls = [
      { method: 'eth_getLogs', params: [filter] },
      ...heights.map((height) => getBlock(toHex(height), request.native)),
    ];
    const [logs, ...rawBlocks] = await ask(request.pass, calls);
    const blocks = rawBlocks.map((raw, position) => {
      const block = requireBlock(raw, `${heights[position]}`);
      if (block.height !== heights[position])
        throw new SourceError('inconsistent', `Block ${heights[position]} has another height.`);
      return block;
    });
    const transfers = decodeLogs(logs, tokens);
    requireAgreement(blocks, transfers, request);
    if (request.native && nativeToken) {
      for (const [position, block] of blocks.entries())
        transfers.push(...decodeNative(rawBlocks[position], block, nativeToken));
    }
    return { blocks, transfers };
  }

  async function heads(pass: Pass): Promise<Heads> {
    const [latest, safe, finalized] = await ask(pass, [getBlock('latest'), getBlock('safe'), getBlock('finalized')]);
    return {
      latest: requireBlock(latest, 'latest'),
      safe: decodeBlock(safe),
      finalized: requireBlock(finalized, 'finalized'),
    };
  }

  async function blockAt(height: number, pass: Pass): Promise<BlockRef | null> {
    const [raw] = await ask(pass, [getBlock(toHex(height))]);
    return decodeBlock(raw);
  }

  return {
    network,
    maxRange: MAX_RANGE,
    heads,
    blockAt,
    read,
    confirm: (transfers, pass) => confirmSuccess(ask, checksum, transfers, pass),
    verify: async () => {
      for (const url of urls) await prove(url);
    },
  };
}

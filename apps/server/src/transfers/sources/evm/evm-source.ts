import type { Network } from '../../../networks/network.ts';
import { coinOf } from '../../../networks/network.ts';
import type { ChainRead, ChainSource, Heads, ReadRequest } from '../../chain-source.ts';
import { SourceError } from '../../chain-source.ts';
import type { BlockRef, ChainTransfer } from '../../transfer.ts';
import { NATIVE_INDEX } from '../../transfer.ts';
import type { Pass } from '../ask-providers.ts';
import { createAskProviders } from '../ask-providers.ts';
import { createChecksum } from './checksum-address.ts';
import { decodeBlock, decodeNative, tokensByContract, toHex } from './evm-decode.ts';
import type { RpcCall } from './json-rpc.ts';
import { callBatch, TIMEOUT_MS } from './json-rpc.ts';
import { proveProvider } from './prove-provider.ts';
import { getBlock, readRange, requireBlock } from './read-range.ts';

/** An EVM chain behind one or more providers. */

const MAX_RANGE = 2_000;
const MAX_RECEIPTS_PER_BATCH = 100;

type Ask = (pass: Pass, calls: readonly RpcCall[]) => Promise<unknown[]>;

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
  const prove = (url: string) => proveProvider(network, tokens, (calls) => callBatch(url, calls, timeoutMs));
  const askProviders = createAskProviders(urls, prove);
  const ask: Ask = (pass, calls) => askProviders(pass, (url) => callBatch(url, calls, timeoutMs));
  const checksum = createChecksum();
  const nativeToken = coinOf(network);

  async function read(request: ReadRequest): Promise<ChainRead> {
    const { blocks, rawBlocks, transfers } = await readRange(request, tokens, (calls) => ask(request.pass, calls));
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
    nativeFrom: 'head',
    heads,
    blockAt,
    read,
    confirm: (transfers, pass) => confirmSuccess(ask, checksum, transfers, pass),
    verify: async () => {
      for (const url of urls) await prove(url);
    },
  };
}

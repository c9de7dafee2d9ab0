import { steadyClock } from '../../lib/clock.ts';
import type { Network } from '../../networks/network.ts';
import { coinOf } from '../../networks/network.ts';
import { profileOf } from '../../networks/profile.ts';
import type { ChainSource, Heads, Pass } from '../chain-source.ts';
import type { BlockRef, ChainTransfer } from '../transfer.ts';
import { createAskProviders, nameProviders, namesOf } from '../ask-providers.ts';
import { createHeadWatch, createReadHeads } from '../head-watch.ts';
import type { SourceOptions } from '../source-options.ts';
import { createChecksumAddress } from './checksum-address.ts';
import { confirmCoins, isCoin } from './confirm-coins.ts';
import { findMissingMethod } from './find-missing-method.ts';
import { tokensByContract, toHex } from '../json-rpc/evm-decode.ts';
import { createPatientRead } from '../json-rpc/patient-read.ts';
import { proveProvider } from '../json-rpc/prove-provider.ts';
import { proveTail } from '../json-rpc/prove-tail.ts';
import { readBlocks } from './read-blocks.ts';
import { readHeads } from '../json-rpc/read-heads.ts';
import { readInnerCoins } from './read-inner-coins.ts';
import { requireBlockAt } from '../json-rpc/read-range.ts';
import { readReceipts } from '../json-rpc/read-receipts.ts';
import type { RpcCall } from '../json-rpc/rpc-call.ts';
import { getBlock } from '../json-rpc/rpc-call.ts';
import type { RpcProvider } from '../json-rpc/rpc-provider.ts';
import { createRpcProvider } from '../json-rpc/rpc-provider.ts';
import { showsCoins } from './shows-coins.ts';

/** The adapter of EVM chains, read by block from one or more providers. */

const MAX_RANGE = 2_000;

type Ask = (pass: Pass, calls: readonly RpcCall[]) => Promise<unknown[]>;

export function createEvmSource(
  network: Network,
  urls: readonly string[],
  { timeoutMs, monotonic = steadyClock, genesisHash }: SourceOptions = {},
): ChainSource {
  const tokens = tokensByContract(network);
  const providers = nameProviders(urls, (url) => createRpcProvider(url, monotonic, { timeoutMs }));
  const lacking = new Map<string, string>();
  const prove = async (provider: RpcProvider, name: string) => {
    await proveProvider(network, tokens, provider, genesisHash);
    const missing = await findMissingMethod(network, tokens, provider);
    if (missing !== undefined) lacking.set(name, missing);
    else lacking.delete(name);
  };
  const refused = new Map<string, string>();
  const watch = createHeadWatch(profileOf(network), monotonic);
  const askProviders = createAskProviders(providers, prove, monotonic, { refused, isStanding: watch.isStanding });
  const readWatched = createReadHeads(askProviders, watch, ({ latest }: Omit<Heads, 'by'>) => latest.height);
  const readPatiently = createPatientRead(askProviders, monotonic);
  const ask: Ask = (pass, calls) => askProviders(pass, ({ call }) => call(calls));
  const checksum = createChecksumAddress();
  const wanted = { tokens, coin: coinOf(network) };

  async function blockAt(height: number, pass: Pass): Promise<BlockRef | null> {
    const [raw] = await ask(pass, [getBlock(toHex(height))]);
    return raw === null ? null : requireBlockAt(raw, height);
  }

  /** Drops coins of failed transactions, and adds checksums to senders. */
  async function confirm(transfers: readonly ChainTransfer[], pass: Pass): Promise<ChainTransfer[]> {
    const succeeded = transfers.some(isCoin)
      ? await askProviders(pass, (provider) => confirmCoins(provider, transfers))
      : transfers;
    return succeeded.map((transfer) => Object.assign({}, transfer, { from: checksum(transfer.from) }));
  }

  return {
    network,
    providers: namesOf(providers),
    addressCount: urls.length,
    maxRange: MAX_RANGE,
    nativeFrom: 'head',
    heads: (pass, tags = { safe: false }) => readWatched(pass, (provider) => readHeads(provider, tags)),
    standing: watch.standing,
    blockAt,
    read: (request) => readPatiently(request.pass, (provider) => proveTail(network, request, wanted, provider)),
    readBlocks: (request) =>
      askProviders(request.pass, async (provider, by) => ({
        ...(await readBlocks(network, request, wanted, provider)),
        by,
      })),
    receipts: (txIds, pass) => askProviders(pass, (provider) => readReceipts(provider, txIds, tokens)),
    showsCoins: (coins, pass) => askProviders(pass, (provider) => showsCoins(provider, coins)),
    innerCoins: (request, pass) => askProviders(pass, (provider) => readInnerCoins(provider, request, tokens)),
    confirm,
    lacking: () => [...lacking].map(([provider, method]) => ({ provider, method })),
    refused: () => [...refused].map(([provider, reason]) => ({ provider, reason })),
    verify: () => askProviders('first', async () => {}),
  };
}

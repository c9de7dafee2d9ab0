import { steadyClock } from '../../lib/clock.ts';
import type { Network, Token } from '../../networks/network.ts';
import { coinOf } from '../../networks/network.ts';
import { profileOf } from '../../networks/profile.ts';
import type { ChainRead, ChainReceipt, ChainSource, Pass, ReadRequest } from '../chain-source.ts';
import { SourceError } from '../chain-source.ts';
import type { AskProviders } from '../ask-providers.ts';
import { createAskProviders, nameProviders, namesOf } from '../ask-providers.ts';
import { createHeadWatch } from '../head-watch.ts';
import type { SourceOptions } from '../source-options.ts';
import type { TokenByContract } from '../json-rpc/evm-decode.ts';
import { toHex } from '../json-rpc/evm-decode.ts';
import { createPatientRead } from '../json-rpc/patient-read.ts';
import { proveProvider } from '../json-rpc/prove-provider.ts';
import { proveTail } from '../json-rpc/prove-tail.ts';
import { requireBlock } from '../json-rpc/read-range.ts';
import { readReceipts } from '../json-rpc/read-receipts.ts';
import { getBlock } from '../json-rpc/rpc-call.ts';
import { readSolidRange } from './read-solid-range.ts';
import { showsCoins } from './shows-coins.ts';
import { decodeWalletBlock, tronBlock, tronReceipt, tronTokens, tronTransfer, walletBlockRef } from './tron-decode.ts';
import type { TronEndpoint } from './tron-endpoint.ts';
import { createTronEndpoint } from './tron-endpoint.ts';
import { createTronHeads } from './tron-heads.ts';

/**
 * The adapter of Tron. First reads take token transfers from JSON-RPC up to the head. Second reads use the solidified
 * HTTP view, which has its own index and alone distinguishes coin transfers from similar transactions.
 */

/** Small, because a second read sends one request per block. */
const MAX_RANGE = 50;

/** Throws unless both views of a provider show the same block at the solidified height. */
async function proveViews(endpoint: TronEndpoint): Promise<void> {
  const solid = decodeWalletBlock(await endpoint.ask('getnowblock', {}));
  if (!solid) throw new SourceError('unavailable', 'The provider has no solidified block.');
  const { height, hash } = walletBlockRef(solid);
  const [raw] = await endpoint.call([getBlock(toHex(height))]);
  if (tronBlock(requireBlock(raw, `${height}`)).hash !== hash)
    throw new SourceError('unavailable', `The two views of a provider show different blocks at ${height}.`);
}

function readSolid(
  ask: AskProviders<TronEndpoint>,
  request: ReadRequest,
  tokens: TokenByContract,
  coin: Token | undefined,
): Promise<ChainRead> {
  return ask(request.pass, async (endpoint, by) => ({
    ...(await readSolidRange(endpoint, request, tokens, request.native ? coin : undefined)),
    by,
  }));
}

async function readTronReceipts(
  ask: AskProviders<TronEndpoint>,
  txIds: readonly string[],
  tokens: TokenByContract,
  pass: Pass,
): Promise<(ChainReceipt | null)[]> {
  const ids = txIds.map((txId) => `0x${txId}`);
  const found = await ask(pass, (endpoint) => readReceipts(endpoint, ids, tokens));
  return found.map((receipt) => receipt && tronReceipt(receipt));
}

export function createTronSource(
  network: Network,
  urls: readonly string[],
  { timeoutMs, monotonic = steadyClock, genesisHash }: SourceOptions = {},
): ChainSource {
  const tokens = tronTokens(network);
  const coin = coinOf(network);
  const providers = nameProviders(urls, (url) => createTronEndpoint(url, monotonic, { timeoutMs }));
  const prove = async (endpoint: TronEndpoint) => {
    await proveProvider(network, tokens, endpoint, genesisHash);
    await proveViews(endpoint);
  };
  const refused = new Map<string, string>();
  const watch = createHeadWatch(profileOf(network), monotonic);
  const ask = createAskProviders(providers, prove, monotonic, { refused, isStanding: watch.isStanding });
  const readPatiently = createPatientRead(ask, monotonic);
  const { heads, blockAt, expectBlock } = createTronHeads(ask, watch);

  async function readHead(request: ReadRequest): Promise<ChainRead> {
    if (request.native) throw new Error('Coins of Tron are read by the second read alone.');
    const read = await readPatiently(request.pass, (endpoint) =>
      proveTail(network, request, { tokens, coin: undefined }, endpoint),
    );
    expectBlock(request.to);
    return { ...read, blocks: read.blocks.map(tronBlock), transfers: read.transfers.map(tronTransfer) };
  }

  return {
    network,
    providers: namesOf(providers),
    addressCount: urls.length,
    maxRange: MAX_RANGE,
    nativeFrom: 'finalized',
    heads,
    standing: watch.standing,
    blockAt,
    read: readHead,
    readBlocks: (request) => readSolid(ask, request, tokens, coin),
    receipts: (txIds, pass) => readTronReceipts(ask, txIds, tokens, pass),
    showsCoins: (coins, pass) => ask(pass, (endpoint) => showsCoins(endpoint, coins)),
    // The node lists no logs of failed calls, and the reader has dropped coins of failed transactions.
    confirm: async (transfers) => [...transfers],
    refused: () => [...refused].map(([provider, reason]) => ({ provider, reason })),
    verify: () => ask('first', async () => {}),
  };
}

import type { Address } from 'viem';
import { createManualClock } from '../../../src/lib/clock.ts';
import type { ManualClock } from '../../../src/lib/clock.ts';
import type { Network } from '../../../src/networks/network.ts';
import { findNetwork } from '../networks.ts';
import type { ChainSource, ReadRequest } from '../../../src/sources/chain-source.ts';
import { createEvmSource } from '../../../src/sources/evm/evm-source.ts';
import type { Anvil } from './anvil.ts';
import { startAnvil } from './anvil.ts';
import { genesisOf } from '../genesis.ts';
import { installToken } from './token.ts';
import type { RpcProxy } from '../rpc-proxy.ts';
import { startRpcProxy } from '../rpc-proxy.ts';

/** A real node with a network's tokens, behind a proxy whose answers a test can change. */

export type ProxiedNode = {
  network: Network;
  anvil: Anvil;
  proxy: RpcProxy;
  /** Contract address of a token. */
  contract(symbol: string): Address;
  /** Opens a new source that asks the proxy, with its clock. */
  open(...more: string[]): { source: ChainSource; clock: ManualClock };
  /** A source whose provider is proved already, so that only questions of the test are recorded. */
  openProved(): Promise<ChainSource>;
  stop(): Promise<void>;
};

const AGE_SECONDS = 100_000;

export async function startProxiedNode(symbol: string): Promise<ProxiedNode> {
  const network = findNetwork(symbol);
  if (network?.chainId === undefined || network.chainId === null) throw new Error(`There is no ${symbol}.`);
  const timestamp = Math.floor(Date.now() / 1000) - AGE_SECONDS;
  const anvil = await startAnvil({ chainId: network.chainId, slotsInAnEpoch: 1, timestamp });
  const contract = (token: string) => (network.tokens.find((one) => one.symbol === token)?.contract ?? '0x') as Address;
  for (const token of network.tokens) {
    if (token.contract !== null) await installToken(anvil, { ...token, address: token.contract as Address });
  }
  const genesisHash = await genesisOf(anvil.url);
  const proxy = await startRpcProxy(anvil.url);
  return {
    network,
    anvil,
    proxy,
    contract,
    open: (...more) => {
      const clock = createManualClock(0);
      return { source: createEvmSource(network, [proxy.url, ...more], { monotonic: clock, genesisHash }), clock };
    },
    openProved: async () => {
      const source = createEvmSource(network, [proxy.url], { monotonic: createManualClock(0), genesisHash });
      await source.heads('first');
      proxy.forget();
      return source;
    },
    stop: async () => {
      await proxy.stop();
      await anvil.stop();
    },
  };
}

export function request(from: number, to: number, more: Partial<ReadRequest> = {}): ReadRequest {
  return { from, to, native: false, headers: 'all', pass: 'first', ...more };
}

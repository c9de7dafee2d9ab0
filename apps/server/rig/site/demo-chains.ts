import { tronToHex } from '@counterfoil/core/tron-address.ts';
import type { Address as SolanaAddress } from '@solana/kit';
import type { Address, Hex } from 'viem';
import { systemClock } from '../../src/lib/clock.ts';
import type { Token } from '../../src/networks/network.ts';
import { findNetwork } from '../chains/networks.ts';
import type { Anvil } from '../chains/evm/anvil.ts';
import { payNative, payToken } from '../chains/evm/payment.ts';
import { USDC, USDT } from '../chains/solana/mints.ts';
import { SOLANA_PROFILE, startSolanaNode } from '../chains/solana/node.ts';
import { paySol, paySpl } from '../chains/solana/payment.ts';
import { canonicalToken, installCanonicalTokens } from '../chains/evm/token.ts';
import { startTronNode } from '../chains/tron/node.ts';
import { makeFinal, resumeBlocks, startLiveChain } from '../chains/evm/live-chain.ts';

/** Nodes of every family of networks, with test tokens and a block every second, and a payer on each node. */

export type DemoChain = {
  network: string;
  url: string;
  /** Receiving address of the shop. */
  receiving: string;
  /** Pays, and returns the transaction's id. */
  pay: (token: Token, to: string, units: bigint) => Promise<string>;
  /** Makes every payment so far final, without a wait for the chain's own blocks. */
  makeFinal: () => Promise<void>;
  stop: () => Promise<unknown>;
};

const BLOCK_SECONDS = 1;
/**
 * Distance of `safe` behind the head, in blocks; a payment on BNB Smart Chain waits for `finalized`, twice as far
 * behind.
 */
const SLOTS_IN_AN_EPOCH = 3;
const TRON_SOLID_BLOCKS = 10;
const SOLANA_FINAL_BLOCKS = Math.ceil(SOLANA_PROFILE.finalizedLagSeconds / SOLANA_PROFILE.blockSeconds);
const EVM_RECEIVING = '0x8894E0a0c962CB723c1976a4421c95949bE2D4E3';
const TRON_RECEIVING = 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL';
const SOLANA_RECEIVING = 'FWznbcNXWQuHTawe9RxvQ2LdCENssh12dsznf4RiouN5';

function payOn(anvil: Anvil, chainId: number, token: Token, to: Address, units: bigint): Promise<Hex> {
  if (token.contract === null) return payNative(anvil, { to, units });
  return payToken(anvil, { token: canonicalToken(chainId, token.symbol).address, to, units });
}

/** Starts a chain on `port`, or on any free port. */
export async function startEvmChain(network: string, port = 0): Promise<DemoChain> {
  const chainId = findNetwork(network)?.chainId ?? 0;
  const anvil = await startLiveChain({ chainId, port, slotsInAnEpoch: SLOTS_IN_AN_EPOCH });
  return {
    network,
    url: anvil.url,
    receiving: EVM_RECEIVING,
    pay: (token, to, units) => payOn(anvil, chainId, token, to as Address, units),
    makeFinal: () => makeFinal(anvil),
    stop: () => anvil.stop(),
  };
}

async function startTron(): Promise<DemoChain> {
  const network = 'TRC20';
  const chainId = findNetwork(network)?.chainId ?? 0;
  const node = await startTronNode({ solidLag: TRON_SOLID_BLOCKS });
  await installCanonicalTokens(node.anvil);
  await resumeBlocks(node.anvil);
  return {
    network,
    url: node.url,
    receiving: TRON_RECEIVING,
    pay: async (token, to, units) => {
      const hash = await payOn(node.anvil, chainId, token, tronToHex(to) as Address, units);
      return hash.slice(2);
    },
    makeFinal: () => makeFinal(node.anvil),
    stop: () => node.stop(),
  };
}

const seconds = () => Math.floor(systemClock.nowMs() / 1000);

async function startSolana(): Promise<DemoChain> {
  const node = await startSolanaNode({ timestamp: seconds() });
  const slots = Math.round(BLOCK_SECONDS / SOLANA_PROFILE.blockSeconds);
  const beat = setInterval(() => node.produce(slots, { atTime: seconds() }), BLOCK_SECONDS * 1000);
  return {
    network: 'SOL',
    url: node.url,
    receiving: SOLANA_RECEIVING,
    pay: async (token, to, units) => {
      const receiver = to as SolanaAddress;
      if (token.contract === null) return paySol(node, { to: receiver, lamports: units });
      return paySpl(node, { mint: token.symbol === 'USDC' ? USDC : USDT, to: receiver, units });
    },
    makeFinal: async () => {
      for (let block = 0; block <= SOLANA_FINAL_BLOCKS; block += 1) node.produce(1, { atTime: seconds() });
    },
    stop: async () => {
      clearInterval(beat);
      await node.stop();
    },
  };
}

export const DEMO_NETWORKS = ['BSC', 'ETH', 'TRC20', 'SOL'] as const;

export function startDemoChain(network: (typeof DEMO_NETWORKS)[number]): Promise<DemoChain> {
  switch (network) {
    case 'BSC':
    case 'ETH':
      return startEvmChain(network);
    case 'TRC20':
      return startTron();
    case 'SOL':
      return startSolana();
  }
}

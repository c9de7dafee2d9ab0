import { tronFromHex, tronToHex } from '@counterfoil/core/tron-address.ts';
import type { Address } from 'viem';
import { findNetwork } from '../networks.ts';
import { createTronSource } from '../../../src/sources/tron/tron-source.ts';
import { payByBatch } from '../evm/payment.ts';
import { mine } from '../evm/reorg.ts';
import { canonicalToken, installCanonicalTokens } from '../evm/token.ts';
import { kindOf, TRON_CHAIN_ID } from './block.ts';
import type { TronNode } from './node.ts';
import { startTronNode, TRON_DEFAULTS } from './node.ts';
import { nextAddress } from '../../stores/open-store.ts';
import { CHAIN_DEATHS, createChainReader } from '../chain-reader.ts';
import { createEvmChain } from '../evm/evm-chain.ts';
import type { RigStart, SourceRig } from '../chain-rig.ts';
import { genesisOf } from '../genesis.ts';

const NETWORK = 'TRC20';
const BLOCK_SECONDS = 3;
const FIRST_BLOCKS = 40;
const AGE_SECONDS = 3_600;

export function nextTronAddress(): string {
  const address = tronFromHex(nextAddress());
  if (address === undefined) throw new Error('It is no address.');
  return address;
}

export async function rigOf(node: TronNode): Promise<SourceRig> {
  const genesisHash = await genesisOf(node.url);
  const network = findNetwork(NETWORK);
  if (!network) throw new Error(`${NETWORK} is unknown.`);
  const chain = createEvmChain({
    anvil: node.anvil,
    token: canonicalToken(TRON_CHAIN_ID, 'USDT'),
    coin: 'TRX',
    toHexAddress: (address) => tronToHex(address) as Address,
    txIdOf: (hash) => hash.slice(2),
    isCoin: (transaction) => kindOf(transaction) === 'TransferContract',
    blockSeconds: BLOCK_SECONDS,
  });
  return {
    ...chain,
    network: NETWORK,
    token: 'USDT',
    coin: 'TRX',
    blockSeconds: BLOCK_SECONDS,
    finalDepth: TRON_DEFAULTS.solidLag,
    seesCoinsEarly: false,
    reorgIsBelieved: { blocks: 1, seconds: 0 },
    toldApart: ['USDT', 'USDT', 'USDT'],
    failpoints: CHAIN_DEATHS,
    createReader: (engine) =>
      createChainReader(engine, createTronSource(network, [node.url], { monotonic: engine.clock, genesisHash })),
    settings: () => ({ [`COUNTERFOIL_RPC_${NETWORK}`]: node.url }),
    newAddress: nextTronAddress,
    lag: (lagShare, lagBlocks) => node.behave({ splitBatches: true, lagShare, lagBlocks }),
    down: () => node.down(),
    up: () => node.up(),
    stop: () => node.stop(),
  };
}

/** Starts a node with its token and some history. */
export async function startTronChain(startSeconds: number): Promise<TronNode> {
  const node = await startTronNode({ timestamp: startSeconds - AGE_SECONDS });
  await installCanonicalTokens(node.anvil);
  // The batch contract is deployed here by a first use, which mines a block: later uses mine none, so that tests decide
  // about every later block.
  await payByBatch(node.anvil, []);
  await mine(node.anvil, FIRST_BLOCKS, { secondsBetween: BLOCK_SECONDS });
  return node;
}

/** Rig of Tron: java-tron's dialect in front of a real EVM node. */
export const startTronRig: RigStart = async (startSeconds) => rigOf(await startTronChain(startSeconds));

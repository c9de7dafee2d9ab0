import type { Address } from 'viem';
import { findNetwork } from '../networks.ts';
import { createEvmSource } from '../../../src/sources/evm/evm-source.ts';
import { genesisOf } from '../genesis.ts';
import { startAnvil } from './anvil.ts';
import { startBalancer } from './balancer.ts';
import { payByBatch } from './payment.ts';
import { mine } from './reorg.ts';
import { canonicalToken, installCanonicalTokens } from './token.ts';
import { nextAddress } from '../../stores/open-store.ts';
import { CHAIN_DEATHS, createChainReader } from '../chain-reader.ts';
import { createEvmChain } from './evm-chain.ts';
import type { RigStart } from '../chain-rig.ts';

const NETWORK = 'BSC';
const CHAIN_ID = 56;
const SLOTS_IN_AN_EPOCH = 8;
const BLOCK_SECONDS = 1;
const FIRST_BLOCKS = 40;
const AGE_SECONDS = 3_600;

/** The rig of BNB Smart Chain: a real EVM node behind a balancer whose backends may be behind. */
export const startEvmRig: RigStart = async (startSeconds) => {
  const network = findNetwork(NETWORK);
  if (!network) throw new Error(`${NETWORK} is unknown.`);
  const timestamp = startSeconds - AGE_SECONDS;
  const anvil = await startAnvil({ chainId: CHAIN_ID, slotsInAnEpoch: SLOTS_IN_AN_EPOCH, timestamp });
  await installCanonicalTokens(anvil);
  // The batch contract is deployed here by a first use, which mines a block: later uses mine none, so that tests decide
  // about every later block.
  await payByBatch(anvil, []);
  await mine(anvil, FIRST_BLOCKS, { secondsBetween: BLOCK_SECONDS });
  const balancer = await startBalancer({ backends: [{ url: anvil.url }], seed: 1 });
  const genesisHash = await genesisOf(anvil.url);
  const chain = createEvmChain({
    anvil,
    token: canonicalToken(CHAIN_ID, 'USDT'),
    coin: 'BNB',
    toHexAddress: (address) => address as Address,
    txIdOf: (hash) => hash,
    isCoin: () => true,
    blockSeconds: BLOCK_SECONDS,
  });
  return {
    ...chain,
    network: NETWORK,
    token: 'USDT',
    coin: 'BNB',
    blockSeconds: BLOCK_SECONDS,
    finalDepth: 2 * SLOTS_IN_AN_EPOCH,
    seesCoinsEarly: true,
    reorgIsBelieved: { blocks: 1, seconds: 0 },
    toldApart: ['USDT', 'USDT', 'USDT'],
    failpoints: CHAIN_DEATHS,
    createReader: (engine) =>
      createChainReader(engine, createEvmSource(network, [balancer.url], { monotonic: engine.clock, genesisHash })),
    settings: () => ({ [`COUNTERFOIL_RPC_${NETWORK}`]: balancer.url }),
    newAddress: nextAddress,
    lag: (share, lagBlocks) =>
      balancer.behave({
        splitBatches: true,
        backends: [
          { url: anvil.url, share: 1 - share },
          { url: anvil.url, share, lagBlocks },
        ],
      }),
    down: () => balancer.down(),
    up: () => balancer.up(),
    stop: async () => {
      await balancer.stop();
      await anvil.stop();
    },
  };
};

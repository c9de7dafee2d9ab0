import { pino } from 'pino';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import type { ChainSource } from '../../src/transfers/chain-source.ts';
import { followChain } from '../../src/transfers/follow-chain.ts';
import { createFollower } from '../../src/transfers/follower.ts';
import type { Shop } from '../engine/shop.ts';
import { follow, standingOf } from '../engine/shop.ts';
import type { Deaths, RigReader } from './rig.ts';

/** A chain that is read whole, block after block. */

const log = pino({ level: 'silent' });

export const CHAIN_DEATHS: Deaths = {
  recorded: ['head:recorded', 'tier:covered'],
  inside: ['head:in-commit', 'tier:in-commit'],
  after: ['head:after-commit', 'tier:after-commit'],
};

export function createChainReader(shop: Shop, source: ChainSource): RigReader {
  const { database, clock } = shop;
  const network = source.network.symbol;
  const apply = createApplyTransfers(clock);
  const follower = createFollower({ database, clock, log, source, owner: 'test', apply });
  return {
    step: () => followChain(follower),
    toEnd: () => follow(shop, network, follower),
    covered: async () => (await standingOf(shop, network)).covered['finalized'] ?? 0,
    handOver: async () => {
      await database.pool.query('update chains set lease_owner = null');
    },
    counts: follower.counts,
  };
}

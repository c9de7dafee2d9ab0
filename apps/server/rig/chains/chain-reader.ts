import { pino } from 'pino';
import { createApplyTransfers } from '../../src/invoices/apply-transfers.ts';
import { NETWORKS } from './networks.ts';
import type { ChainSource } from '../../src/sources/chain-source.ts';
import { createFollower } from '../../src/chains/follower.ts';
import type { EngineFixture } from '../invoices/engine-fixture.ts';
import { ageReads, follow, followChain } from '../invoices/follow-network.ts';
import { standingOf } from '../invoices/look-up.ts';
import type { Deaths, RigReader } from './chain-rig.ts';

/** Reader for a chain that is followed whole, block after block. */

const log = pino({ level: 'silent' });

export const CHAIN_DEATHS: Deaths = {
  recorded: ['head:recorded', 'proof:marked'],
  inside: ['head:in-commit', 'proof:in-commit'],
  after: ['head:after-commit', 'proof:after-commit'],
};

export function createChainReader(engine: EngineFixture, source: ChainSource): RigReader {
  const { database, clock } = engine;
  const network = source.network.id;
  const apply = createApplyTransfers({ clock, networks: NETWORKS });
  const parts = { database: engine.as('worker'), clock, ageClock: clock, log, source, owner: 'test', apply };
  const follower = createFollower(parts);
  return {
    step: async () => {
      const step = await followChain(follower);
      await ageReads(database, network);
      return step;
    },
    toEnd: () => follow(engine, network, follower),
    covered: async () => (await standingOf(engine, network)).covered['finalized'] ?? 0,
    handOver: async () => {
      await database.pool.query('update chains set lease_owner = null');
    },
    counts: follower.counts,
  };
}

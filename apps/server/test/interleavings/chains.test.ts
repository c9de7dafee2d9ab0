import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { payByBatch } from '../../rig/chains/evm/payment.ts';
import { findFailpoints } from '../../rig/processes/find-failpoints.ts';
import type { ChainSnapshot } from '../../rig/interleave/chain-violations.ts';
import {
  findFinalViolations,
  findLateViolations,
  findStoredViolations,
  takeSnapshot,
} from '../../rig/interleave/chain-violations.ts';
import { CHAIN_ACTORS, NETWORK, openChainWorld, readUntil } from '../../rig/interleave/chain-world.ts';
import { interleave } from '../../rig/interleave/interleave.ts';
import { printPairs } from '../../rig/interleave/print-pairs.ts';
import type { EngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { chainOf, openEngineFixture } from '../../rig/invoices/engine-fixture.ts';
import { settle } from '../../rig/invoices/follow-network.ts';

/** Every point between a read of a chain and its commit, with everything that may happen there. */

type Actor = keyof typeof CHAIN_ACTORS;

const POINTS = [
  'head:read',
  'head:before-commit',
  'head:piece',
  'head:recorded',
  'head:in-commit',
  'head:after-commit',
  'proof:before-commit',
  'proof:marked',
  'proof:in-commit',
  'proof:after-commit',
  'rewind:before-commit',
  'rewind:in-commit',
  'tier:agreed',
  'tier:before-commit',
  'tier:piece',
  'tier:covered',
  'tier:in-commit',
  'tier:after-commit',
];
/** The second read of blocks without transfers has nothing to commit but coverage. */
const QUIET = 'tier:before-commit of quiet blocks';
const PLACES = [...POINTS, QUIET];
const ACTORS = Object.keys(CHAIN_ACTORS) as Actor[];

const results: string[][] = [];
afterAll(() => printPairs('chains', results));

test('the table has every point of the readers of chains', () => {
  expect(POINTS.toSorted()).toEqual(findFailpoints(['head', 'proof', 'rewind', 'tier']));
});

// Each point has a node of its own: a node that has been forked above a thousand blocks loses contracts.
describe.each(PLACES)('%s', (place) => {
  let engine: EngineFixture;
  beforeAll(async () => {
    engine = await openEngineFixture(inject('template'), [NETWORK]);
    // The first use of the batch contract mines a block.
    await payByBatch(chainOf(engine, NETWORK).anvil, []);
    await settle(engine, NETWORK);
  });
  afterAll(() => engine.close());

  test.each(ACTORS.map((actor): [Actor, string] => [actor, place]))(
    '%s at %s loses no payment, counts none twice and covers nothing unread',
    async (actor) => {
      const point = place === QUIET ? 'tier:before-commit' : place;
      const world = await openChainWorld(engine, point, place === QUIET);
      let before: ChainSnapshot | undefined;
      const interleaving = interleave({
        database: engine.database,
        point,
        act: () => CHAIN_ACTORS[actor](world),
        afterAct: async () => {
          before = await takeSnapshot(world);
        },
      });
      await readUntil(world, point, interleaving);
      const order = await interleaving.finish();
      const violations = [...(await findStoredViolations(world)), ...(await findLateViolations(world, actor, before))];
      violations.push(...(await findFinalViolations(world, order, before)));
      results.push(violations);
      expect(violations).toEqual([]);
    },
  );
});

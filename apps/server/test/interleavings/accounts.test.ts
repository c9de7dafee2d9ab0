import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { findFailpoints } from '../../rig/processes/find-failpoints.ts';
import type { AccountSnapshot } from '../../rig/interleave/account-violations.ts';
import {
  findFinalViolations,
  findLateViolations,
  findStoredViolations,
  takeSnapshot,
} from '../../rig/interleave/account-violations.ts';
import { ACCOUNT_ACTORS, openAccountWorld, readUntil } from '../../rig/interleave/account-world.ts';
import { interleave } from '../../rig/interleave/interleave.ts';
import { printPairs } from '../../rig/interleave/print-pairs.ts';
import type { SolanaFixture } from '../../rig/invoices/solana-fixture.ts';
import { openSolanaFixture } from '../../rig/invoices/solana-fixture.ts';

/** Every point between a read of a followed account and its commit, with everything that may happen there. */

type Actor = keyof typeof ACCOUNT_ACTORS;

const POINTS = [
  'account:read',
  'account:before-commit',
  'account:recorded',
  'account:in-commit',
  'account:after-commit',
  'account:before-proof',
  'account:proven',
  'account:in-proof',
  'account:after-proof',
  'account:reread',
  'account:before-cover',
  'account:covered',
  'account:in-cover',
  'account:after-cover',
];
/** Points inside a commit: an actor that need not wait there is concurrent with the commit, and either order is right. */
const INSIDE = new Set([
  'account:recorded',
  'account:in-commit',
  'account:proven',
  'account:in-proof',
  'account:covered',
  'account:in-cover',
]);
/** The second read of an account without transfers commits in one statement of its own. */
const QUIET = 'account:reread of a quiet account';
const PLACES = [...POINTS, QUIET];
const ACTORS = Object.keys(ACCOUNT_ACTORS) as Actor[];
const PAIRS = PLACES.flatMap((place) => ACTORS.map((actor): [Actor, string] => [actor, place]));

let engine: SolanaFixture;
const results: string[][] = [];
beforeAll(async () => {
  engine = await openSolanaFixture(inject('template'));
});
afterAll(async () => {
  printPairs('accounts', results);
  await engine.close();
});

test('the table has every point of the readers of followed accounts', () => {
  expect(POINTS.toSorted()).toEqual(findFailpoints(['account']));
});

test.each(PAIRS)('%s at %s loses no payment, counts none twice and covers nothing unread', async (actor, place) => {
  const point = place === QUIET ? 'account:reread' : place;
  const world = await openAccountWorld(engine, point, place === QUIET);
  let before: AccountSnapshot | undefined;
  const interleaving = interleave({
    database: engine.database,
    point,
    act: () => ACCOUNT_ACTORS[actor](world),
    afterAct: async () => {
      if (!INSIDE.has(point)) before = await takeSnapshot(world);
    },
  });
  await readUntil(world, interleaving);
  await interleaving.finish();
  const violations = [...(await findStoredViolations(world)), ...(await findLateViolations(world, actor, before))];
  violations.push(...(await findFinalViolations(world)));
  results.push(violations);
  expect(violations).toEqual([]);
});

import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { ExchangeSite } from '../../rig/exchanges/exchange-fixture.ts';
import { openExchangeSite } from '../../rig/exchanges/exchange-fixture.ts';
import { findFailpoints } from '../../rig/processes/find-failpoints.ts';
import { interleave } from '../../rig/interleave/interleave.ts';
import { printPairs } from '../../rig/interleave/print-pairs.ts';
import type { StatementSnapshot } from '../../rig/interleave/statement-world.ts';
import {
  findFinalViolations,
  findLateViolations,
  openStatementWorld,
  readWith,
  STATEMENT_ACTORS,
  takeSnapshot,
} from '../../rig/interleave/statement-world.ts';

/** Every point between a read of a statement and its commit, with everything that may happen there. */

type Actor = keyof typeof STATEMENT_ACTORS;

const POINTS = [
  'statement:started',
  'statement:before-commit',
  'statement:recorded',
  'statement:in-commit',
  'statement:after-commit',
];
const ACTORS = Object.keys(STATEMENT_ACTORS) as Actor[];
const PAIRS = POINTS.flatMap((point) => ACTORS.map((actor): [Actor, string] => [actor, point]));

let site: ExchangeSite;
const results: string[][] = [];
beforeAll(async () => {
  site = await openExchangeSite(inject('template'), 'BINANCE');
});
afterAll(async () => {
  printPairs('statements', results);
  await site.close();
});

test('the table has every point of the readers of statements', () => {
  expect(POINTS.toSorted()).toEqual(findFailpoints(['statement']));
});

test.each(PAIRS)('%s at %s loses no payment, counts none twice and covers nothing unread', async (actor, point) => {
  const world = await openStatementWorld(site);
  let before: StatementSnapshot | undefined;
  const interleaving = interleave({
    database: site.engine.database,
    point,
    act: () => STATEMENT_ACTORS[actor](world),
    afterAct: async () => {
      before = await takeSnapshot(world);
    },
  });
  await readWith(world, interleaving.failpoint);
  await interleaving.finish();
  const violations = await findLateViolations(world, actor, before);
  violations.push(...(await findFinalViolations(world, actor)));
  results.push(violations);
  expect(violations).toEqual([]);
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expire } from '../engine/shop.ts';
import { auditWorld } from './audit-world.ts';
import { startEvmRig } from './evm-rig.ts';
import type { RigStart } from './rig.ts';
import { SCENARIOS } from './scenarios.ts';
import { startSolanaRig } from './solana-rig.ts';
import { startTronRig } from './tron-rig.ts';
import type { World } from './world.ts';
import { closeWorld, followToEnd, goTo, openWorld, settle } from './world.ts';

/** One table of scenarios, one row per source: the engine knows none of them by name. */

const RIGS: [name: string, start: RigStart][] = [
  ['EVM', startEvmRig],
  ['Tron', startTronRig],
  ['Solana', startSolanaRig],
];

describe.each(RIGS)('%s', (_name, start) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(start);
  });
  afterAll(() => closeWorld(world));

  test.each(SCENARIOS)('%s', async (_title, run) => {
    await run(world);
  });

  test('the chain itself agrees with the rows: nothing lost, nothing twice, nobody expired who had paid in time', async () => {
    const { rows } = await world.shop.database.pool.query<{ last: Date }>(
      'select max(expires_at) as last from invoices',
    );
    goTo(world, Math.ceil((rows[0]?.last.getTime() ?? 0) / 1000) + 60);
    await settle(world);
    await expire(world.shop);
    await followToEnd(world);
    const audit = await auditWorld(world);
    expect(audit.faults).toEqual([]);
    expect(audit.invoices).toBeGreaterThan(SCENARIOS.length);
    expect(audit.arrivals).toBeGreaterThan(SCENARIOS.length);
  });
});

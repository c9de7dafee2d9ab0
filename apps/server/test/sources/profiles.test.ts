import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NETWORKS } from '../../src/networks/network.ts';
import { expire } from '../engine/shop.ts';
import { auditWorld } from './audit-world.ts';
import type { ProfileWorld } from './profile-rows.ts';
import { PROFILE_ROWS } from './profile-rows.ts';
import { startProfileRig } from './profile-rig.ts';
import { closeWorld, followToEnd, goTo, keepUp, openWorld } from './world.ts';

/** All nine networks at the pace, distances and limits of their profiles. */

describe.each(NETWORKS.map(({ symbol }) => symbol))('%s', (symbol) => {
  let world: ProfileWorld;
  beforeAll(async () => {
    world = await openWorld(startProfileRig(symbol));
  });
  afterAll(() => closeWorld(world));

  test.each(PROFILE_ROWS)('%s', { timeout: 60_000 }, async (_title, run) => {
    await run(world);
  });

  test('the chain itself agrees with the rows', async () => {
    const { rows } = await world.shop.database.pool.query<{ last: Date }>(
      'select max(expires_at) as last from invoices',
    );
    goTo(world, Math.ceil((rows[0]?.last.getTime() ?? 0) / 1000) + 60);
    keepUp(world, await world.rig.mine(1, { atTime: Math.ceil(world.shop.clock.nowMs() / 1000) }));
    for (let rounds = 0; rounds < 10; rounds += 1) {
      keepUp(world, await world.rig.pass(30));
      await followToEnd(world);
      await expire(world.shop);
    }
    const audit = await auditWorld(world);
    expect(audit.faults).toEqual([]);
  });
});

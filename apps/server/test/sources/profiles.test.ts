import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { CHAIN_NETWORKS } from '../../src/networks/chain-networks.ts';
import { expire } from '../../rig/invoices/follow-network.ts';
import { auditPayments } from '../../rig/chains/audit-payments.ts';
import type { ProfileFixture } from './profile-rows.ts';
import { PROFILE_ROWS } from './profile-rows.ts';
import { startProfileRig } from '../../rig/chains/profile-rig.ts';
import { closeChainFixture, followToEnd, goTo, keepUp, openChainFixture } from '../../rig/chains/chain-fixture.ts';

/** Scenarios of all nine networks with the pace, distances and limits of their profiles. */

describe.each(CHAIN_NETWORKS.map(({ id }) => id))('%s', (symbol) => {
  let fixture: ProfileFixture;
  beforeAll(async () => {
    fixture = await openChainFixture(inject('template'), startProfileRig(symbol));
  });
  afterAll(() => closeChainFixture(fixture));

  test.each(PROFILE_ROWS)('%s', async (_title, run) => {
    await run(fixture);
  });

  test('the chain itself agrees with the rows', async () => {
    const { rows } = await fixture.engine.database.pool.query<{ last: Date }>(
      'select max(expires_at) as last from invoices',
    );
    goTo(fixture, Math.ceil((rows[0]?.last.getTime() ?? 0) / 1000) + 60);
    keepUp(fixture, await fixture.rig.mine(1, { atTime: Math.ceil(fixture.engine.clock.nowMs() / 1000) }));
    for (let rounds = 0; rounds < 10; rounds += 1) {
      keepUp(fixture, await fixture.rig.pass(30));
      await followToEnd(fixture);
      await expire(fixture.engine);
    }
    const audit = await auditPayments(fixture);
    expect(audit.faults).toEqual([]);
  });
});

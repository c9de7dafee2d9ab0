import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { expire } from '../../rig/invoices/follow-network.ts';
import { auditPayments } from '../../rig/chains/audit-payments.ts';
import { startEvmRig } from '../../rig/chains/evm/evm-rig.ts';
import type { RigStart } from '../../rig/chains/chain-rig.ts';
import { SCENARIOS } from './scenarios.ts';
import { startSolanaRig } from '../../rig/chains/solana/solana-rig.ts';
import { startTronRig } from '../../rig/chains/tron/tron-rig.ts';
import type { ChainFixture } from '../../rig/chains/chain-fixture.ts';
import { closeChainFixture, followToEnd, goTo, openChainFixture, settle } from '../../rig/chains/chain-fixture.ts';

/** Runs all scenarios for each source: the engine does not know any of them by name. */

const RIGS: [name: string, start: RigStart][] = [
  ['EVM', startEvmRig],
  ['Tron', startTronRig],
  ['Solana', startSolanaRig],
];

describe.each(RIGS)('%s', (_name, start) => {
  let fixture: ChainFixture;
  beforeAll(async () => {
    fixture = await openChainFixture(inject('template'), start);
  });
  afterAll(() => closeChainFixture(fixture));

  test.each(SCENARIOS)('%s', async (_title, run) => {
    await run(fixture);
  });

  test('the chain itself agrees with the rows: nothing lost, nothing twice, nobody expired who had paid in time', async () => {
    const { rows } = await fixture.engine.database.pool.query<{ last: Date }>(
      'select max(expires_at) as last from invoices',
    );
    goTo(fixture, Math.ceil((rows[0]?.last.getTime() ?? 0) / 1000) + 60);
    await settle(fixture);
    await expire(fixture.engine);
    await followToEnd(fixture);
    const audit = await auditPayments(fixture);
    expect(audit.faults).toEqual([]);
    expect(audit.invoices).toBeGreaterThan(SCENARIOS.length);
    expect(audit.arrivals).toBeGreaterThan(SCENARIOS.length);
  });
});

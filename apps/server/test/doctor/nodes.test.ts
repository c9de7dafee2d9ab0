import { afterAll, describe, expect, test } from 'vitest';
import { startSolanaNode } from '../../rig/chains/solana/node.ts';
import { examineNodes } from '../../src/doctor/examine-nodes.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import { createNetworks, requireNetwork } from '../../src/networks/networks.ts';
import { bscAt, startBsc } from '../../rig/site/healthy-instance.ts';

/** What the doctor says of nodes: how old the head may be, and how far back a node must know blocks. */

const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
});

const HOUR_SECONDS = 3_600;
const nowSeconds = () => Math.floor(systemClock.nowMs() / 1_000);

describe('a node of a network that is read block by block', () => {
  test.each([
    [240, 'fine'],
    [360, 'wrong'],
  ])('whose newest block is %i s old is %s', async (ageSeconds, state) => {
    const clock = createManualClock(systemClock.nowMs());
    const chain = await startBsc({ ageSeconds });
    ends.push(() => chain.stop());
    const findings = await examineNodes([await bscAt(chain.url)], clock);
    expect(findings.find(({ check }) => check === 'node of BSC')).toMatchObject({ state });
  });
});

/** A node that has kept two days before its first block, and made its newest block so long ago. */
async function examineSolana({ firstHoursAgo = 30, ageSeconds = 5, genesisHash = '' } = {}) {
  const node = await startSolanaNode({ timestamp: nowSeconds() - firstHoursAgo * HOUR_SECONDS });
  ends.push(() => node.stop());
  node.produce(1, { atTime: nowSeconds() - ageSeconds });
  if (genesisHash !== '') node.behave({ genesisHash });
  const network = requireNetwork(createNetworks(), 'SOL');
  const findings = await examineNodes(
    [{ network, urls: [node.url], ...(genesisHash !== '' && { genesisHash }) }],
    systemClock,
  );
  return findings.find(({ check }) => check === 'node of SOL');
}

describe('a node of Solana', () => {
  test('that runs with its network and knows three days is fine', async () => {
    expect(await examineSolana()).toMatchObject({ state: 'fine', says: expect.stringContaining('height') as string });
  });

  test('whose newest block is old is behind', async () => {
    expect(await examineSolana({ ageSeconds: 2 * HOUR_SECONDS })).toMatchObject({
      state: 'wrong',
      says: expect.stringContaining('s old: the node is behind') as string,
    });
  });

  test('that has kept less than three days has too little history', async () => {
    expect(await examineSolana({ firstHoursAgo: 1 })).toMatchObject({
      state: 'wrong',
      says: expect.stringContaining('72 hours') as string,
    });
  });

  test('of a local chain, which may be young, is fine', async () => {
    expect(await examineSolana({ firstHoursAgo: 1, genesisHash: 'local' })).toMatchObject({ state: 'fine' });
  });
});

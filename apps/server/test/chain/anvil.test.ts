import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { startAnvil } from '../../rig/chains/evm/anvil.ts';
import { callRpc } from '../../rig/chains/json-rpc.ts';
import { headerAt, mine } from '../../rig/chains/evm/reorg.ts';

const UNANSWERED_MS = 200;
const WAIT = { timeout: 60_000 };

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

describe.concurrent('a private node', () => {
  test('two chains run at once, each with its id and start, and mine only when told', async () => {
    const timestamp = 1_800_000_000;
    const chains = await Promise.all([startAnvil({ chainId: 1, timestamp }), startAnvil({ chainId: 56, timestamp })]);
    try {
      expect(await Promise.all(chains.map((chain) => chain.rpc('eth_chainId')))).toEqual(['0x1', '0x38']);
      for (const chain of chains) expect(await headerAt(chain, 'latest')).toMatchObject({ number: 0, timestamp });
    } finally {
      await Promise.all(chains.map((chain) => chain.stop()));
    }
    expect(chains.map((chain) => isAlive(chain.processId))).toEqual([false, false]);
  });

  test('safe and finalized follow the head by one and two epochs', async () => {
    const chain = await startAnvil({ chainId: 1, slotsInAnEpoch: 4 });
    try {
      await mine(chain, 20);
      expect((await headerAt(chain, 'safe')).number).toBe(16);
      expect((await headerAt(chain, 'finalized')).number).toBe(12);
    } finally {
      await chain.stop();
    }
  });

  test('a block time makes the node mine by itself', async () => {
    const chain = await startAnvil({ chainId: 1, blockTimeSeconds: 1 });
    try {
      await vi.waitFor(async () => expect((await headerAt(chain, 'latest')).number).toBeGreaterThan(0), WAIT);
    } finally {
      await chain.stop();
    }
  });

  test('a paused node leaves calls unanswered until it is resumed, and can be stopped while paused', async () => {
    const chain = await startAnvil({ chainId: 1 });
    try {
      chain.pause();
      await expect(callRpc(chain.url, { method: 'eth_chainId' }, UNANSWERED_MS)).rejects.toThrow('timeout');
      chain.resume();
      expect(await chain.rpc('eth_chainId')).toBe('0x1');
      chain.pause();
    } finally {
      await chain.stop();
    }
    expect(isAlive(chain.processId)).toBe(false);
  });

  test.each(['killed', 'forgetful'])('a node does not outlive its %s parent', async (fate) => {
    const anvilModule = fileURLToPath(new URL('../../rig/chains/evm/anvil.ts', import.meta.url));
    const program = `
      const { startAnvil } = await import(${JSON.stringify(anvilModule)});
      const { processId } = await startAnvil({ chainId: 1 });
      console.log(processId);
      ${fate === 'killed' ? 'setInterval(() => {}, 1000);' : ''}`;
    const parent = spawn(process.execPath, ['--no-warnings', '--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(parent, 'exit');
    const [printed] = (await once(parent.stdout, 'data')) as [Buffer];
    const processId = Number(printed.toString());
    expect(processId).toBeGreaterThan(0);
    if (fate === 'killed') parent.kill('SIGKILL');
    await ended;
    await vi.waitFor(() => expect(isAlive(processId)).toBe(false), WAIT);
  });
});

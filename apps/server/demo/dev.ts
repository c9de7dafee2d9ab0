import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/lib/clock.ts';
import { genesisSettings } from '../rig/chains/genesis.ts';
import { NODE_FLAGS } from '../rig/processes/node-flags.ts';
import { startPriceServers } from '../rig/fakes/price-servers.ts';
import { startEvmChain } from '../rig/site/demo-chains.ts';
import { DEV_CHAIN_PORT, DEV_CHAIN_URL, DEV_NETWORK, DEV_TOKEN } from './dev-chain.ts';

/**
 * Runs the API, a worker, prices and one chain with test tokens until Ctrl-C. `bin/dev` prepares the database and
 * starts this.
 */

const POLL_MS = '200';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const setting = (name: string, otherwise = '') => process.env[name] ?? otherwise;
const port = setting('COUNTERFOIL_PORT', '3000');
const operationsPort = setting('COUNTERFOIL_OPERATIONS_PORT', '3001');
const workerPort = setting('COUNTERFOIL_WORKER_OPERATIONS_PORT', '3002');

/** Starts a process in a separate group: Ctrl-C reaches only us, and what we started ends in order. */
function startWatched(main: string, settings: Record<string, string>): ChildProcess {
  const path = fileURLToPath(new URL(`../src/${main}`, import.meta.url));
  return spawn(process.execPath, [...NODE_FLAGS, '--watch', '--watch-preserve-output', '--no-warnings', path], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  });
}

/**
 * Ends a watched process. The watcher passes the signal on and waits; what is left in its group was started by a
 * restart at this moment.
 */
async function endWatched(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // No process is left in the group.
  }
}

function greet(): void {
  console.log(`
  API        http://127.0.0.1:${port}
  Reference  http://127.0.0.1:${port}/docs
  Metrics    http://127.0.0.1:${operationsPort}/metrics, the worker's http://127.0.0.1:${workerPort}/metrics
  Chain      ${DEV_CHAIN_URL}, stands for ${DEV_NETWORK}, with test ${DEV_TOKEN}

  Next, in another terminal: open a store and create an invoice as docs/start.md shows, then pay it: pnpm dev:pay TID-...
  Ctrl-C ends everything.
`);
}

const interrupted = Promise.race(SIGNALS.map((signal) => once(process, signal)));
const stateFolder = await mkdtemp(join(tmpdir(), 'counterfoil-dev-'));
const prices = await startPriceServers(systemClock);
const chain = await startEvmChain(DEV_NETWORK, DEV_CHAIN_PORT);
const nodes = await genesisSettings({ [`COUNTERFOIL_RPC_${DEV_NETWORK}`]: chain.url });
const api = startWatched('main-api.ts', {
  ...nodes,
  COUNTERFOIL_DATABASE_URL: setting('COUNTERFOIL_DEV_API_DATABASE_URL'),
  // Restarts after a code change are immediate.
  COUNTERFOIL_DRAIN_SECONDS: '0',
});
const worker = startWatched('main-worker.ts', {
  ...nodes,
  COUNTERFOIL_DATABASE_URL: setting('COUNTERFOIL_DEV_WORKER_DATABASE_URL'),
  COUNTERFOIL_POLL_MS: POLL_MS,
  COUNTERFOIL_STATE_DIR: stateFolder,
  COUNTERFOIL_PRICE_BINANCE_URL: prices.binance.url,
  COUNTERFOIL_PRICE_KRAKEN_URL: prices.kraken.url,
  COUNTERFOIL_PRICE_COINBASE_URL: prices.coinbase.url,
});
greet();
await Promise.race([interrupted, once(api, 'exit'), once(worker, 'exit')]);
console.log('\n  Taking everything down.');
await Promise.all([endWatched(api), endWatched(worker)]);
await Promise.all([chain.stop(), prices.close(), rm(stateFolder, { recursive: true })]);

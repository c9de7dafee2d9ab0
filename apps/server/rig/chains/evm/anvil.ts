import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { endGuarded, guardProcess, letGo } from '../../processes/guard-process.ts';
import type { RpcCall } from '../json-rpc.ts';
import { callRpc, callRpcBatch } from '../json-rpc.ts';

/**
 * A real EVM node (Anvil) for one test or drill. It mines on request, accepts transactions from any sender and charges
 * no gas.
 */

export type AnvilOptions = {
  chainId: number;
  /** Port to listen on; any free port unless given. */
  port?: number;
  /** Interval of automatic blocks; by default only `mine` makes blocks. */
  blockTimeSeconds?: number;
  /** Distance of `safe` behind the head, in blocks; `finalized` is twice as far behind. */
  slotsInAnEpoch?: number;
  /** Time of the first block, in seconds. */
  timestamp?: number;
};

export type Anvil = {
  chainId: number;
  url: string;
  processId: number;
  rpc<Result = unknown>(method: string, params?: readonly unknown[]): Promise<Result>;
  batch<Result = unknown>(calls: readonly RpcCall[]): Promise<Result[]>;
  /** Stops all answers until `resume`, while connections stay open. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
};

const PACKAGE = '@foundry-rs/anvil-linux-amd64';
const START_TIMEOUT_MS = 120_000;
/** Gas limit at which thousands of payments fit into one block and the base fee stays zero. */
const BLOCK_GAS_LIMIT = 30_000_000_000;
const NATIVE_BALANCE_COINS = 1_000_000_000;

function binaryPath(): string {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve(`${PACKAGE}/package.json`);
  const { bin } = require(manifest) as { bin: { anvil: string } };
  return join(dirname(manifest), bin.anvil);
}

function argumentsOf(options: AnvilOptions, stateFolder: string): string[] {
  const { chainId, port = 0, blockTimeSeconds, slotsInAnEpoch, timestamp } = options;
  return [
    `--chain-id=${chainId}`,
    `--port=${port}`,
    `--cache-path=${stateFolder}`,
    blockTimeSeconds === undefined ? '--no-mining' : `--block-time=${blockTimeSeconds}`,
    ...(slotsInAnEpoch === undefined ? [] : [`--slots-in-an-epoch=${slotsInAnEpoch}`]),
    ...(timestamp === undefined ? [] : [`--timestamp=${timestamp}`]),
    // `--order=fifo` keeps the transactions of a block in the order in which they came.
    '--order=fifo',
    '--auto-impersonate',
    '--no-request-size-limit',
    '--gas-price=0',
    '--base-fee=0',
    `--gas-limit=${BLOCK_GAS_LIMIT}`,
    `--balance=${NATIVE_BALANCE_COINS}`,
  ];
}

/** Reads the node's URL from its output: the node chooses the port itself. */
async function waitUntilListening(child: ChildProcess): Promise<string> {
  let output = '';
  const listening = new Promise<string>((resolve) => {
    const read = (chunk: string) => {
      output += chunk;
      const address = /Listening on (127\.0\.0\.1:\d+)/.exec(output)?.[1];
      if (address !== undefined) resolve(`http://${address}`);
    };
    child.stdout?.setEncoding('utf8').on('data', read);
    child.stderr?.setEncoding('utf8').on('data', read);
  });
  const cancelled = new AbortController();
  const signal = AbortSignal.any([cancelled.signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
  const ended = once(child, 'exit', { signal }).then(
    () => undefined,
    () => undefined,
  );
  const url = await Promise.race([listening, ended]);
  cancelled.abort();
  child.stdout?.removeAllListeners('data').resume();
  child.stderr?.removeAllListeners('data').resume();
  if (url !== undefined) return url;
  child.kill('SIGKILL');
  throw new Error(`anvil does not listen (exit code ${child.exitCode}):\n${output}`);
}

const STOPPED = /^State:\s+T/m;
const MAX_LOOKS = 100_000;

/**
 * Pauses the node. `kill` returns before the signal has arrived: until every thread has stopped, the node may still
 * answer.
 */
function stopThreads(child: ChildProcess, processId: number): void {
  child.kill('SIGSTOP');
  const folder = `/proc/${processId}/task`;
  const isStopped = (thread: string) => {
    try {
      return STOPPED.test(readFileSync(`${folder}/${thread}/status`, 'utf8'));
    } catch {
      // A thread that ended during this look counts as not stopped; the next look no longer lists the thread.
      return false;
    }
  };
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) if (readdirSync(folder).every(isStopped)) return;
  throw new Error('anvil does not stop.');
}

export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const stateFolder = mkdtempSync(join(tmpdir(), 'counterfoil-anvil-'));
  const child = spawn(binaryPath(), argumentsOf(options, stateFolder), { stdio: ['ignore', 'pipe', 'pipe'] });
  const processId = child.pid;
  if (processId === undefined) throw new Error('anvil cannot be started.', { cause: (await once(child, 'error'))[0] });
  const watcher = guardProcess(child, processId, stateFolder);
  const url = await waitUntilListening(child);
  letGo(child);
  // Logging is switched off, because the node would print a line for every call.
  await callRpc(url, { method: 'anvil_setLoggingEnabled', params: [false] });
  return {
    chainId: options.chainId,
    url,
    processId,
    rpc: (method, params = []) => callRpc(url, { method, params }),
    batch: (calls) => callRpcBatch(url, calls),
    pause: () => stopThreads(child, processId),
    resume: () => void child.kill('SIGCONT'),
    stop: () => endGuarded(child, watcher),
  };
}

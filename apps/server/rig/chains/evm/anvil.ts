import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { RpcCall } from '../json-rpc.ts';
import { callRpc, callRpcBatch } from '../json-rpc.ts';

/** A real EVM node of one's own. It mines when told to, takes transactions from any sender and charges no gas. */

export type AnvilOptions = {
  chainId: number;
  /** Any free one unless given. */
  port?: number;
  /** Mines by itself at this pace; without it only `mine` does. */
  blockTimeSeconds?: number;
  /** `safe` is this many blocks behind the head, `finalized` twice as many. */
  slotsInAnEpoch?: number;
  /** Of the first block, in seconds. */
  timestamp?: number;
};

export type Anvil = {
  chainId: number;
  url: string;
  processId: number;
  rpc<Result = unknown>(method: string, params?: readonly unknown[]): Promise<Result>;
  batch<Result = unknown>(calls: readonly RpcCall[]): Promise<Result[]>;
  /** Connections stay open and nothing is answered until `resume`. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
};

const PACKAGE = '@foundry-rs/anvil-linux-amd64';
const START_TIMEOUT_MS = 20_000;
/** Thousands of payments fit one block, and its base fee stays at zero. */
const BLOCK_GAS_LIMIT = 30_000_000_000;
const NATIVE_BALANCE_COINS = 1_000_000_000;

/** Ends the node when we are gone, however we went: our end of its standard input then closes, even on SIGKILL. */
const GUARD = `trap '' INT TERM HUP; if ! read -r _; then kill -KILL "$1"; fi; rm -rf "$2"`;

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
    // A block holds its transactions in the order in which they came.
    '--order=fifo',
    '--auto-impersonate',
    '--no-request-size-limit',
    '--gas-price=0',
    '--base-fee=0',
    `--gas-limit=${BLOCK_GAS_LIMIT}`,
    `--balance=${NATIVE_BALANCE_COINS}`,
  ];
}

/** The child must not keep our process alive: a suite that forgets `stop` still ends, and the guard cleans up. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
}

function guard(child: ChildProcess, processId: number, stateFolder: string): ChildProcess {
  const watcher = spawn('/bin/sh', ['-c', GUARD, 'guard', String(processId), stateFolder], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // It may be gone already; then there is nobody to tell.
  watcher.stdin.on('error', () => {});
  // A line instead of an end of file: the node has ended, and its id may belong to someone else by now.
  child.once('exit', () => watcher.stdin.end('ended\n'));
  letGo(watcher);
  return watcher;
}

/** The port is the node's own choice, so it is known only from what it prints. */
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

async function end(child: ChildProcess, watcher: ChildProcess): Promise<void> {
  child.ref();
  watcher.ref();
  const watched = watcher.exitCode === null && watcher.signalCode === null;
  const cleanedUp = watched ? once(watcher, 'exit') : undefined;
  // Also ends a paused process; there is nothing to save.
  child.kill('SIGKILL');
  await cleanedUp;
}

const STOPPED = /^State:\s+T/m;
const MAX_LOOKS = 100_000;

/** The signal is on its way when `kill` returns: until every thread has stopped, a question may still be answered. */
function stopThreads(child: ChildProcess, processId: number): void {
  child.kill('SIGSTOP');
  const folder = `/proc/${processId}/task`;
  const isStopped = (thread: string) => {
    try {
      return STOPPED.test(readFileSync(`${folder}/${thread}/status`, 'utf8'));
    } catch {
      // It ended while it was looked at.
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
  const watcher = guard(child, processId, stateFolder);
  const url = await waitUntilListening(child);
  letGo(child);
  // Otherwise it prints a line for every call.
  await callRpc(url, { method: 'anvil_setLoggingEnabled', params: [false] });
  return {
    chainId: options.chainId,
    url,
    processId,
    rpc: (method, params = []) => callRpc(url, { method, params }),
    batch: (calls) => callRpcBatch(url, calls),
    pause: () => stopThreads(child, processId),
    resume: () => void child.kill('SIGCONT'),
    stop: () => end(child, watcher),
  };
}

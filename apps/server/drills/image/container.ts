import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { BuiltImage } from './build-image.ts';

/**
 * Containers of the image, run by crun as engines run them: the image's own user, entry point, environment and folder,
 * a read-only root, no capabilities, and a process that is number 1 in its own process namespace.
 */

export type Mount = { from: string; to: string; writable?: boolean };

export type Run = {
  name: string;
  arguments: readonly string[];
  /** What is run in place of the image's entry point. */
  entryPoint?: readonly string[];
  settings?: Readonly<Record<string, string>>;
  mounts?: readonly Mount[];
};

export type Container = {
  name: string;
  /** Id of the container's first process, as this machine sees it. */
  processId: number;
  output(): string;
  /** Waits for the end, and returns the exit code. */
  ended(): Promise<number | null>;
  /** Sends the signal with which the image wants to be stopped. */
  stop(): void;
};

export type Containers = {
  start(run: Run): Promise<Container>;
  /** Runs a container to its end. */
  finish(run: Run): Promise<{ code: number | null; output: string }>;
  /** Kills whatever still runs. */
  stop(): Promise<void>;
};

const OWN_DEVICES = [
  { destination: '/proc', type: 'proc', source: 'proc' },
  { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=65536k'] },
  { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'nodev', 'mode=1777', 'size=65536k'] },
];
const NO_CAPABILITIES = { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] };
/** Namespaces of a container. Its network is that of the drill, which is not the machine's either. */
const NAMESPACES = ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type }));
const START_TIMEOUT_MS = 10_000;
const POLL_MS = 20;

function describe(image: BuiltImage, run: Run, root: { path: string; readonly: boolean }): unknown {
  const { config } = image;
  const [uid = Number.NaN, gid = Number.NaN] = config.User.split(':').map(Number);
  const settings = Object.entries(run.settings ?? {}).map(([name, value]) => `${name}=${value}`);
  const binds = (run.mounts ?? []).map(({ from, to, writable = false }) => ({
    destination: to,
    type: 'bind',
    source: from,
    options: ['bind', writable ? 'rw' : 'ro', 'nosuid', 'nodev'],
  }));
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid, gid },
      args: [...(run.entryPoint ?? config.Entrypoint), ...run.arguments],
      env: [...config.Env, ...settings],
      cwd: config.WorkingDir,
      capabilities: NO_CAPABILITIES,
      noNewPrivileges: true,
    },
    root,
    hostname: run.name,
    mounts: [...OWN_DEVICES, ...binds],
    linux: { namespaces: NAMESPACES },
  };
}

/** Reads the first process's id once crun has written it; undefined when the container has ended before. */
async function readProcessId(path: string, child: ChildProcess): Promise<number | undefined> {
  let found: string | undefined;
  const isKnown = async () => {
    found = await readFile(path, 'utf8').catch(() => undefined);
    return Boolean(found) || child.exitCode !== null;
  };
  await waitUntil(isKnown, { what: 'A container does not start.', timeoutMs: START_TIMEOUT_MS, pollMs: POLL_MS });
  return found ? Number(found) : undefined;
}

/** Runs containers whose bundles and state are in `folder`. */
export function openContainers(image: BuiltImage, folder: string): Containers {
  const running = new Map<ChildProcess, number>();
  let count = 0;

  async function begin(run: Run) {
    count += 1;
    const name = `${run.name}-${count}`;
    const bundle = join(folder, name);
    await mkdir(bundle, { recursive: true });
    const described = describe(image, { ...run, name }, { path: image.rootFolder, readonly: true });
    await writeFile(join(bundle, 'config.json'), JSON.stringify(described));
    const processFile = join(bundle, 'process-id');
    const state = ['--cgroup-manager=disabled', '--root', join(folder, 'crun')];
    const child = spawn('crun', [...state, 'run', '--bundle', bundle, '--pid-file', processFile, name], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    }
    const processId = await readProcessId(processFile, child);
    if (processId !== undefined) running.set(child, processId);
    const ended = async () => {
      await closed;
      running.delete(child);
      return child.exitCode;
    };
    return { name, processId, output: () => output, ended };
  }

  return {
    start: async (run) => {
      const { processId, ...begun } = await begin(run);
      if (processId === undefined) throw new Error(`${run.name} does not start:\n${begun.output()}`);
      return { ...begun, processId, stop: () => void process.kill(processId, image.config.StopSignal) };
    },
    finish: async (run) => {
      const { ended, output } = await begin(run);
      const code = await ended();
      return { code, output: output() };
    },
    stop: async () => {
      for (const [child, processId] of running) {
        const closed = once(child, 'close');
        if (child.exitCode === null) process.kill(processId, 'SIGKILL');
        await closed;
      }
    },
  };
}

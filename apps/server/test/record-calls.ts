import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

/**
 * Runs before every test file when calls are recorded: writes which functions of `src` the file called, itself or in
 * processes that it started. Counting goes by the name of a function, because lines of the code that runs are not those
 * of its source.
 */

const SERVER = join(import.meta.dirname, '..');
const SOURCE = join(SERVER, 'src/');

const pathOf = (url: string) => (url.startsWith('file:') ? fileURLToPath(url) : url).replace(/\?.*$/, '');

/** Counts of calls by source file and function. */
type Calls = Record<string, Record<string, number>>;
type Coverage = Pick<Profiler.TakePreciseCoverageReturnType, 'result'>;

function addCalls(calls: Calls, { result }: Coverage): void {
  for (const { url, functions } of result) {
    const path = pathOf(url);
    if (!path.startsWith(SOURCE)) continue;
    const own = (calls[relative(SERVER, path)] ??= {});
    for (const { functionName, ranges } of functions) {
      const count = ranges[0]?.count ?? 0;
      if (functionName !== '' && count > 0) own[functionName] = (own[functionName] ?? 0) + count;
    }
  }
}

type Recorder = { addTo: (calls: Calls) => Promise<void> };

async function startRecorder(): Promise<Recorder> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return { addTo: async (calls) => addCalls(calls, await session.post('Profiler.takePreciseCoverage')) };
}

/** Processes that end in order write their coverage into this folder. */
const processes = mkdtempSync(join(tmpdir(), 'counterfoil-calls-'));
process.env['NODE_V8_COVERAGE'] = processes;

function addCallsOfProcesses(calls: Calls): void {
  for (const name of readdirSync(processes))
    addCalls(calls, JSON.parse(readFileSync(join(processes, name), 'utf8')) as Coverage);
  rmSync(processes, { recursive: true, force: true });
}

/** Files of a worker share one recorder: taking its counts sets them to zero. */
const shared = globalThis as { callRecorder?: Promise<Recorder> };
shared.callRecorder ??= startRecorder();
const recorder = await shared.callRecorder;
await recorder.addTo({});
let startedMs = 0;
beforeAll(() => {
  startedMs = performance.now();
});

let passed = true;
afterEach(({ task }) => {
  if (task.result?.state === 'fail') passed = false;
});

afterAll(async () => {
  const folder = process.env['MUTANTS_RECORD_CALLS'] ?? '';
  const path = expect.getState().testPath;
  if (folder === '' || path === undefined) return;
  const suite = relative(SERVER, path);
  const durationMs = Math.round(performance.now() - startedMs);
  const all: Calls = {};
  await recorder.addTo(all);
  addCallsOfProcesses(all);
  const calls = Object.fromEntries(Object.entries(all).filter(([, own]) => Object.keys(own).length > 0));
  const record = { suite, passed, durationMs, calls };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${suite.replaceAll('/', '+')}.json`), JSON.stringify(record));
});

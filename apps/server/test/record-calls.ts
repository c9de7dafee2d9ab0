import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

/**
 * Runs before every test file when calls are recorded: writes which functions of `src` the file called. Counting goes
 * by the name of a function, because lines of the code that runs are not those of its source.
 */

const SERVER = join(import.meta.dirname, '..');
const SOURCE = join(SERVER, 'src/');

const pathOf = (url: string) => (url.startsWith('file:') ? fileURLToPath(url) : url).replace(/\?.*$/, '');

type Recorder = { calls: () => Promise<Record<string, Record<string, number>>> };

async function startRecorder(): Promise<Recorder> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    calls: async () => {
      const { result } = await session.post('Profiler.takePreciseCoverage');
      const calls: Record<string, Record<string, number>> = {};
      for (const { url, functions } of result) {
        const path = pathOf(url);
        if (!path.startsWith(SOURCE)) continue;
        const own = (calls[relative(SERVER, path)] ??= {});
        for (const { functionName, ranges } of functions) {
          const count = ranges[0]?.count ?? 0;
          if (functionName !== '' && count > 0) own[functionName] = (own[functionName] ?? 0) + count;
        }
      }
      return calls;
    },
  };
}

/** Files of a worker share one recorder: taking its counts sets them to zero. */
const shared = globalThis as { callRecorder?: Promise<Recorder> };
shared.callRecorder ??= startRecorder();
const recorder = await shared.callRecorder;
await recorder.calls();
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
  const calls = Object.fromEntries(
    Object.entries(await recorder.calls()).filter(([, own]) => Object.keys(own).length > 0),
  );
  const record = { suite, passed, durationMs: Math.round(performance.now() - startedMs), calls };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${suite.replaceAll('/', '+')}.json`), JSON.stringify(record));
});

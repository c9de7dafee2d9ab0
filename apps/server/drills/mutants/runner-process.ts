import { join, relative } from 'node:path';
import type { TestCase, TestModule } from 'vitest/node';
import { createVitest } from 'vitest/node';
import type { Request, Verdict } from './verdict.ts';

/**
 * Runs tests of the copy in which this file is. The process stays between requests: vitest, the modules that did not
 * change, and the template database are ready for the next one.
 */

const SERVER = join(import.meta.dirname, '../..');
/** Waits that a planted bug makes vain need not last as long as those that a slow machine delays. */
const PLANTED_SHARE = 0.125;
const MAX_REASON_CHARACTERS = 300;

const escape = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);

const brokenBy = (reason: string): Verdict => ({ kind: 'broken', reason: reason.slice(0, MAX_REASON_CHARACTERS) });

const isHang = (message: string) => /^(Test|Hook) timed out in \d+ ?ms/.test(message);

function judgeFailure(test: TestCase): Verdict {
  const errors = test.result().errors ?? [];
  const hang = errors.find(({ message }) => isHang(message));
  if (hang) return brokenBy(`${test.fullName}: ${hang.message}`);
  const where = relative(SERVER, test.module.moduleId);
  return { kind: 'failed', test: `${where} > ${test.fullName}`, message: errors[0]?.message ?? '' };
}

/** What vitest reported in the current run. Its state also keeps results of earlier runs, which prove nothing now. */
let tests: TestCase[] = [];
let modules: TestModule[] = [];

function judge(titles: Request['titles'], unhandled: readonly unknown[]): Verdict {
  const named = titles === 'all' ? tests : tests.filter(({ name }) => titles.includes(name));
  const failed = named.find((test) => test.result().state === 'failed');
  if (failed) return judgeFailure(failed);
  const faults = modules.flatMap((module) => [
    ...module.errors(),
    ...[...module.children.allSuites()].flatMap((suite) => suite.errors()),
  ]);
  if (faults[0]) return brokenBy(`the suite could not run: ${faults[0].message}`);
  if (unhandled.length > 0)
    return brokenBy(`an error outside of the tests: ${(unhandled[0] as Partial<Error>).message ?? 'unknown'}`);
  const hasPassed = (title: string) => named.some((test) => test.name === title && test.result().state === 'passed');
  const missing = titles === 'all' ? undefined : titles.find((title) => !hasPassed(title));
  if (missing !== undefined) return brokenBy(`no test ran with the title: ${missing}`);
  return { kind: 'green', passed: named.length };
}

const vitest = await createVitest('test', {
  root: SERVER,
  config: join(SERVER, 'vitest.config.ts'),
  watch: false,
  project: ['pure', 'engine', 'contract'],
  maxWorkers: 1,
  reporters: [
    {
      onTestModuleEnd: (module) => {
        modules.push(module);
      },
      onTestCaseResult: (test) => {
        tests.push(test);
        // One failure decides: the other tests of the title would only cost time.
        if (test.result().state === 'failed') void vitest.cancelCurrentRun('test-failure');
      },
    },
  ],
});
await vitest.standalone();

const polls = vitest.projects.flatMap(({ config: { expect } }) =>
  expect.poll?.timeout === undefined ? [] : [{ expect, timeout: expect.poll.timeout }],
);
const limitFactor = Number(process.env['ROUGH_LIMIT_FACTOR'] ?? '1');

/** Sets the limits of `expect.poll`, and those that rigs read when a worker starts. */
function setLimits(share: number): void {
  for (const { expect, timeout } of polls) expect.poll = { ...expect.poll, timeout: timeout * share };
  process.env['ROUGH_LIMIT_FACTOR'] = String(limitFactor * share);
}

let edited: readonly string[] = [];

async function answer({ suite, titles, changed }: Request): Promise<Verdict> {
  for (const path of [...edited, ...changed]) vitest.invalidateFile(path);
  edited = changed;
  setLimits(changed.length > 0 ? PLANTED_SHARE : 1);
  const path = join(SERVER, suite);
  const options = titles === 'all' ? {} : { testNamePattern: new RegExp(`(^| )(${titles.map(escape).join('|')})$`) };
  const specifications = vitest
    .getModuleSpecifications(path)
    .map(({ project }) => project.createSpecification(path, options));
  tests = [];
  modules = [];
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
  return judge(titles, unhandledErrors);
}

// The parent ends this process by closing the channel: a killed suite would leave its databases behind.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => {});
process.once('disconnect', () => void vitest.exit(true));
process.on('message', (request: Request) => {
  void answer(request)
    .catch((cause: unknown) => brokenBy(String(cause)))
    .then((verdict) => process.send?.(verdict));
});

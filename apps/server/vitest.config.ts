import { defineConfig } from 'vitest/config';
import { hangLimitMs } from './rig/processes/hang-limit.ts';
import { LongestFirst } from './longest-first.ts';
import { findPureTests } from './tools/find-pure-tests.ts';

const contract = ['test/contract/**/*.test.ts'];
const pure = findPureTests(import.meta.dirname);
const core = ['../../packages/core/src/**/*.test.ts'];
/** Limits bound hangs and assert nothing: a machine that is many times slower must not reach them. */
const common = {
  testTimeout: hangLimitMs(300_000),
  hookTimeout: hangLimitMs(300_000),
  expect: { poll: { timeout: hangLimitMs(120_000) } },
  // One more than cores: a worker often waits for processes, blocks and PostgreSQL.
  maxWorkers: 3,
  // Loading every module again for each file takes longer than most files.
  isolate: false,
};
/** Setup file that records which functions each test file calls, for `pnpm drill mutants --record`. */
const recording = process.env['MUTANTS_RECORD_CALLS'] === undefined ? [] : ['test/record-calls.ts'];
const withDatabase = {
  ...common,
  globalSetup: ['test/global-setup.ts'],
  setupFiles: ['test/forget-nodes.ts', ...recording],
};

export default defineConfig({
  root: import.meta.dirname,
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          name: 'pure',
          include: [...pure, ...core],
          setupFiles: ['test/forbid-outside.ts', ...recording],
        },
      },
      {
        test: {
          ...withDatabase,
          name: 'engine',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'],
          exclude: [...contract, ...pure],
        },
      },
      { test: { ...withDatabase, name: 'contract', include: contract } },
    ],
  },
});

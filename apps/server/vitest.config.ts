import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import { findPureTests } from './tools/find-pure-tests.ts';

const contract = ['test/contract/**/*.test.ts'];
const pure = findPureTests(import.meta.dirname);
/** One more than cores: a worker often waits for processes, blocks and PostgreSQL. */
const maxWorkers = 3;
const withDatabase = {
  globalSetup: ['test/global-setup.ts'],
  testTimeout: 30_000,
  hookTimeout: 60_000,
  maxWorkers,
  // Loading every module again for each file takes longer than most files.
  isolate: false,
  expect: { poll: { timeout: 10_000 } },
};

export default defineConfig({
  root: import.meta.dirname,
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'pure',
          include: pure,
          setupFiles: ['test/forbid-outside.ts'],
          isolate: false,
          testTimeout: 30_000,
          maxWorkers,
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

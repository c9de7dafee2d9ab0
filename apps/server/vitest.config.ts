import { defineConfig } from 'vitest/config';
import { findPureTests } from './tools/find-pure-tests.ts';

const contract = ['test/contract/**/*.test.ts'];
const pure = findPureTests(import.meta.dirname);
const withDatabase = {
  globalSetup: ['test/global-setup.ts'],
  testTimeout: 30_000,
  hookTimeout: 60_000,
  maxWorkers: 2,
  expect: { poll: { timeout: 10_000 } },
};

export default defineConfig({
  root: import.meta.dirname,
  test: {
    projects: [
      {
        test: {
          name: 'pure',
          include: pure,
          setupFiles: ['test/forbid-outside.ts'],
          // Pure tests leave no state behind, and loading every module again for each file takes longer than the tests.
          isolate: false,
          testTimeout: 30_000,
          maxWorkers: 2,
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

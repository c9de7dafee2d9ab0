import { defineConfig } from 'vitest/config';
import { hangLimitMs } from '../server/rig/processes/hang-limit.ts';

export default defineConfig({
  root: import.meta.dirname,
  test: {
    globalSetup: ['test/global-setup.ts'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: hangLimitMs(120_000),
    hookTimeout: hangLimitMs(60_000),
    maxWorkers: 2,
  },
});

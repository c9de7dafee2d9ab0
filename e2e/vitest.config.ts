import { defineConfig } from 'vitest/config';
import { hangLimitMs } from '../apps/server/rig/processes/hang-limit.ts';

/**
 * Customers' journeys with real processes, real nodes and a real browser. Files run side by side: each has its own
 * processes, nodes, database and browser.
 */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    globalSetup: ['../apps/server/test/global-setup.ts', '../apps/checkout/test/global-setup.ts'],
    include: ['*.test.ts'],
    maxWorkers: 3,
    testTimeout: hangLimitMs(600_000),
    hookTimeout: hangLimitMs(600_000),
    expect: { poll: { timeout: hangLimitMs(120_000) } },
  },
});

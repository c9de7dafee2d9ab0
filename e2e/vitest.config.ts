import { defineConfig } from 'vitest/config';

/**
 * Customers' journeys with real processes, real nodes and a real browser. They run one after the other, because they
 * share the machine.
 */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    globalSetup: ['../apps/server/test/global-setup.ts', '../apps/checkout/test/global-setup.ts'],
    include: ['*.test.ts'],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});

import { defineConfig } from 'vitest/config';

/** Journeys of customers: real processes, real nodes, a real browser. One after the other, as they share the machine. */
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

import { defineConfig } from 'vitest/config';

/** The customer's journey in the engines of Firefox and Safari, with real processes and a real node. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    globalSetup: ['../../apps/server/test/global-setup.ts', '../../apps/checkout/test/global-setup.ts'],
    include: ['*.test.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});

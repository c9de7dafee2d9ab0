import { defineConfig } from 'vitest/config';
import { hangLimitMs } from '../../apps/server/rig/processes/hang-limit.ts';

/** The customer's journey in the engines of Firefox and Safari, with real processes and a real node. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    globalSetup: ['../../apps/server/test/global-setup.ts', '../../apps/checkout/test/global-setup.ts'],
    include: ['*.test.ts'],
    fileParallelism: false,
    testTimeout: hangLimitMs(120_000),
    hookTimeout: hangLimitMs(120_000),
  },
});

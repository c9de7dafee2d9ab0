import { defineConfig } from 'vitest/config';

/** Journeys of a merchant's people through the dashboard, with real processes, real mails and a real browser. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    globalSetup: ['../../apps/server/test/global-setup.ts', 'global-setup.ts'],
    include: ['*.test.ts'],
    fileParallelism: false,
    testTimeout: 240_000,
    hookTimeout: 60_000,
  },
});

import { defineConfig } from 'vitest/config';

const shared = { globalSetup: ['test/global-setup.ts'], testTimeout: 30_000, hookTimeout: 60_000, maxWorkers: 2 };

export default defineConfig({
  root: import.meta.dirname,
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: ['test/contract/**'],
        },
      },
      { test: { ...shared, name: 'contract', include: ['test/contract/**/*.test.ts'] } },
    ],
  },
});

import { defineConfig } from 'vitest/config';
import { hangLimitMs } from '../server/rig/processes/hang-limit.ts';

export default defineConfig({
  root: import.meta.dirname,
  test: {
    globalSetup: ['test/global-setup.ts'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // A test looks at every state of the page in one language.
    testTimeout: hangLimitMs(process.env['COUNTERFOIL_AXE'] === 'all' ? 900_000 : 240_000),
    hookTimeout: hangLimitMs(120_000),
    expect: { poll: { timeout: hangLimitMs(60_000) } },
    maxWorkers: 2,
  },
});

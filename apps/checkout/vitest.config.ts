import { defineConfig } from 'vitest/config';
import { hangLimitMs } from '../server/rig/processes/hang-limit.ts';

export default defineConfig({
  root: import.meta.dirname,
  test: {
    globalSetup: ['test/global-setup.ts'],
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // A test looks at every state of the page in one language.
    testTimeout: hangLimitMs(process.env['COUNTERFOIL_AXE'] === 'all' ? 3_600_000 : 900_000),
    hookTimeout: hangLimitMs(300_000),
    expect: { poll: { timeout: hangLimitMs(120_000) } },
    maxWorkers: 2,
  },
});

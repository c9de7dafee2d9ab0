import { defineConfig } from 'vitest/config';
import { hangLimitMs } from '../../apps/server/rig/processes/hang-limit.ts';

/** An installation as in production behind real Caddy: HTTPS, host names, proxies, streams. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    globalSetup: [
      '../../apps/server/test/global-setup.ts',
      '../../apps/checkout/test/global-setup.ts',
      '../dashboard/global-setup.ts',
    ],
    include: ['*.test.ts'],
    // Each file has its own processes, database and browser.
    maxWorkers: 2,
    testTimeout: hangLimitMs(600_000),
    hookTimeout: hangLimitMs(600_000),
    expect: { poll: { timeout: hangLimitMs(120_000) } },
  },
});

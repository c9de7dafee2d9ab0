import { defineConfig } from 'vitest/config';
import { hangLimitMs } from '../../apps/server/rig/processes/hang-limit.ts';
import { LongestFirst } from '../../apps/server/longest-first.ts';

/** A chapter that is looked at in all appearances takes longer. */
const TIMEOUT_MS = process.env['COUNTERFOIL_AXE'] === 'all' ? 1_800_000 : 600_000;

/** Journeys of a merchant's team through the dashboard, with real processes, real emails and a real browser. */
export default defineConfig({
  root: import.meta.dirname,
  test: {
    globalSetup: ['../../apps/server/test/global-setup.ts', 'global-setup.ts'],
    include: ['*.test.ts'],
    // Each file has its own processes, database and browser.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: hangLimitMs(TIMEOUT_MS),
    hookTimeout: hangLimitMs(600_000),
    expect: { poll: { timeout: hangLimitMs(120_000) } },
  },
});

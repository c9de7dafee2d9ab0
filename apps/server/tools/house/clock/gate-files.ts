import { dirname, join } from 'node:path';
import type { ParsedFile } from '../read-files.ts';
import { isTest, readFiles } from '../read-files.ts';

/** Everything but product code that the gate runs. */

const WHOLE = [
  'apps/server/test',
  'apps/server/drills/concurrency',
  'apps/server/drills/fuzz',
  'apps/server/drills/mutants',
  'apps/checkout/test',
  'apps/checkout/preview',
  'apps/dashboard/test',
  'e2e',
];
/** Of these, only files that the others name. */
const SHARED = ['apps/server/rig', 'apps/server/demo'];
/** `pnpm dev:check`, and the processes that it starts. */
const STARTED = new Set(['check-dev', 'dev', 'dev-chain', 'pay-invoice'].map((name) => `apps/server/demo/${name}.ts`));
const ONLY_TESTS = ['apps/server/src', 'apps/server/tools', 'apps/checkout/src', 'packages/core/src'];
/** The full run alone drives other browser engines; planted bugs and samples are violations on purpose. */
const LEFT_OUT = [
  'e2e/browsers/',
  'apps/server/drills/mutants/rows/',
  'apps/server/tools/house/clock/no-clock-decides.test.ts',
];

const CONFIGS = [
  'apps/server/vitest.config.ts',
  'apps/checkout/vitest.config.ts',
  'apps/dashboard/vitest.config.ts',
  'e2e/vitest.config.ts',
  'e2e/dashboard/vitest.config.ts',
  'e2e/tls/vitest.config.ts',
];

const isRun = (path: string) => !LEFT_OUT.some((start) => path.startsWith(start));

/** Files that a file imports or starts, by their paths. */
const namedBy = ({ path, text }: ParsedFile) =>
  [...text.matchAll(/['"`](\.{1,2}\/[^'"`]+\.ts)['"`]/g)].map(([, name = '']) => join(dirname(path), name));

export function readGateFiles(): ParsedFile[] {
  const shared = new Map(SHARED.flatMap((folder) => readFiles(folder)).map((file) => [file.path, file]));
  const files = [
    ...WHOLE.flatMap((folder) => readFiles(folder, isRun)),
    ...ONLY_TESTS.flatMap((folder) => readFiles(folder, (path) => isRun(path) && isTest(path))),
    ...CONFIGS.flatMap((config) => readFiles(dirname(config), (path) => path === config)),
    ...[...shared.values()].filter(({ path }) => STARTED.has(path)),
  ];
  const found = new Map(files.map((file) => [file.path, file]));
  // Iterating over a Map includes entries that are added on the way.
  for (const file of found.values())
    for (const path of namedBy(file)) {
      const named = shared.get(path);
      if (named) found.set(path, named);
    }
  return [...found.values()];
}

import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** Test files that take longest, longest first: started last, one of them would keep a single core busy at the end. */
const LONGEST = [
  'e2e/dashboard/whole-journey.test.ts',
  'e2e/dashboard/keyboard.test.ts',
  'test/tenants/tenants.test.ts',
  'test/sources/profiles.test.ts',
  'test/sources/life-cycle.test.ts',
  'test/engine/reading.test.ts',
  'test/exchanges/scenarios.test.ts',
  'test/exchanges/deaths.test.ts',
  'test/engine/reorged.test.ts',
  'test/engine/matching.test.ts',
  'test/engine/named.test.ts',
  'test/engine/evidence.test.ts',
  'test/exchanges/commands.test.ts',
  'test/mail/mail-worker.test.ts',
  'test/dashboard/registration.test.ts',
  'test/deploy/start.test.ts',
  'test/process.test.ts',
  'test/dashboard/team.test.ts',
  'test/sandbox/sandbox-api.test.ts',
  'test/engine/account-reads.test.ts',
  'test/dashboard/passkeys.test.ts',
  'test/dashboard/unmatched.test.ts',
];

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((path) => moduleId.endsWith(`/${path}`));
  return place === -1 ? LONGEST.length : place;
}

/** Orders test files by this list, and the rest by path, so that every machine runs them in the same order. */
export class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const byPath = files.toSorted((left, right) => (left.moduleId < right.moduleId ? -1 : 1));
    return Promise.resolve(byPath.toSorted((left, right) => placeOf(left) - placeOf(right)));
  }
}

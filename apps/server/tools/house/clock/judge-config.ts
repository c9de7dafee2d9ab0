import type { Node } from 'oxc-parser';
import type { Place } from './flow.ts';
import { LEAST_POLL_MS, LEAST_TEST_MS, numberOf, propertyOf } from './judge-limits.ts';
import type { Fault } from './judge-time.ts';
import { keyName } from './tree.ts';

/** Every project of a vitest configuration sets limits that a slow machine does not reach: vitest's own are seconds. */
export function judgeConfig(place: Place, node: Node): Fault[] {
  const isConfig = place.at.file.path.endsWith('/vitest.config.ts');
  if (!isConfig || node.type !== 'Property' || keyName(node.key, node.computed) !== 'test') return [];
  if (propertyOf(place, node.value, 'projects')) return [];
  const least = (path: readonly string[], leastMs: number): Fault[] => {
    const value = path.reduce<Node | undefined>((found, name) => found && propertyOf(place, found, name), node.value);
    const isLong = value !== undefined && (numberOf(place, value) ?? 0) >= leastMs;
    return isLong ? [] : [{ node, rule: `${path.join('.')} below ${leastMs / 1_000} s` }];
  };
  return [
    ...least(['testTimeout'], LEAST_TEST_MS),
    ...least(['hookTimeout'], LEAST_TEST_MS),
    ...least(['expect', 'poll', 'timeout'], LEAST_POLL_MS),
  ];
}

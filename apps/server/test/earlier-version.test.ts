import { expect, test } from 'vitest';
import { chooseEarlier } from '../rig/versions/earlier-version.ts';

const commits = [3, 3, 2, 2, 1].map((migrations, at) => ({ hash: `commit-${at}`, migrations }));

test('the schema of today is tried with the newest commit that has fewer migrations', () => {
  expect(chooseEarlier(commits, 3, false).hash).toBe('commit-2');
  // With a migration that is not committed yet, HEAD itself is the earlier version.
  expect(chooseEarlier(commits, 4, false).hash).toBe('commit-0');
});

test('a clone without such a commit fails, and says so', () => {
  expect(() => chooseEarlier(commits.slice(0, 2), 3, true)).toThrow('too shallow: none of its 2 commits');
  expect(() => chooseEarlier([], 3, false)).toThrow('None of 0 commits has fewer than 3 migrations');
});

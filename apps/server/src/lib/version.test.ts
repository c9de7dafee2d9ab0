import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readVersion, tagOf } from './version.ts';

const COMMIT = '0123456789abcdef0123456789abcdef01234567';
const OTHER = '89abcdef0123456789abcdef0123456789abcdef';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'counterfoil-version-'));
  put({ 'package.json': '{ "version": "1.2.3" }' });
});
afterEach(() => rmSync(root, { recursive: true }));

function put(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

describe('the commit', () => {
  test.each<[string, Record<string, string>, string]>([
    ['an image names in a file', { REVISION: `${COMMIT}\n` }, COMMIT],
    ['an image was not told', { REVISION: 'unknown\n' }, 'unknown'],
    ['nobody tells', {}, 'unknown'],
    ['a branch is at', { '.git/HEAD': 'ref: refs/heads/main\n', '.git/refs/heads/main': `${COMMIT}\n` }, COMMIT],
    [
      'a packed branch is at',
      {
        '.git/HEAD': 'ref: refs/heads/main\n',
        '.git/packed-refs': `# pack-refs with: peeled\n${OTHER} refs/heads/not/refs/heads/main\n${COMMIT} refs/heads/main\n`,
      },
      COMMIT,
    ],
    ['is checked out without a branch', { '.git/HEAD': `${COMMIT}\n` }, COMMIT],
    [
      'a second checkout is at',
      {
        '.git': 'gitdir: first/.git/worktrees/second\n',
        'first/.git/worktrees/second/HEAD': 'ref: refs/heads/topic\n',
        'first/.git/worktrees/second/commondir': '../..\n',
        'first/.git/refs/heads/topic': `${COMMIT}\n`,
      },
      COMMIT,
    ],
    ['is not there yet', { '.git/HEAD': 'ref: refs/heads/main\n' }, 'unknown'],
    ['an image names, and not a checkout around it', { REVISION: COMMIT, '.git/HEAD': OTHER }, COMMIT],
  ])('that %s is found', (_case, files, commit) => {
    put(files);
    expect(readVersion(root)).toEqual({ version: '1.2.3', commit });
  });
});

test('a tag names the release, and the beginning of the commit where it is known', () => {
  expect(tagOf({ version: '1.2.3', commit: COMMIT })).toBe('1.2.3-0123456789ab');
  expect(tagOf({ version: '1.2.3', commit: 'unknown' })).toBe('1.2.3');
});

import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { SERVER_FOLDER } from './server-folder.ts';

/** Release and commit; `unknown` where neither an image nor git has it. */
type Version = { version: string; commit: string };

const ROOT = resolve(SERVER_FOLDER, '../..');
/** Where an image's build stores the commit. */
const COMMIT_FILE = 'REVISION';
const COMMIT = /^[0-9a-f]{40}$/;
const UNKNOWN = 'unknown';
const SHORT = 12;

function read(...path: string[]): string | undefined {
  try {
    return readFileSync(resolve(...path), 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** The git folder of this checkout; a second worktree has a file that points to it. */
function findGitFolder(root: string): string | undefined {
  const path = resolve(root, '.git');
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return path;
  const named = /^gitdir: (.+)$/m.exec(read(path) ?? '')?.[1];
  return named === undefined ? undefined : resolve(root, named);
}

/** Reads git's files directly: git refuses checkouts of other users, and processes run as their own. */
function readCheckout(root: string): string | undefined {
  const own = findGitFolder(root);
  if (own === undefined) return undefined;
  const head = read(own, 'HEAD') ?? '';
  const branch = /^ref: (\S+)$/.exec(head)?.[1];
  if (branch === undefined) return head;
  const shared = resolve(own, read(own, 'commondir') ?? '.');
  const packed = read(shared, 'packed-refs')?.split('\n') ?? [];
  return read(own, branch) ?? read(shared, branch) ?? packed.find((line) => line.endsWith(` ${branch}`))?.split(' ')[0];
}

/** The version in a folder: an image's or a checkout's. */
export function readVersion(root: string): Version {
  const { version } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as { version: string };
  const commit = read(root, COMMIT_FILE) ?? readCheckout(root) ?? UNKNOWN;
  return { version, commit: COMMIT.test(commit) ? commit : UNKNOWN };
}

/** Fixed when the process started. */
export const VERSION: Readonly<Version> = readVersion(ROOT);

/** Image tag: release and abbreviated commit. */
export function tagOf({ version, commit }: Version): string {
  return commit === UNKNOWN ? version : `${version}-${commit.slice(0, SHORT)}`;
}

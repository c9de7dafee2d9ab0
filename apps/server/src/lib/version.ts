import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** What runs: the release, and the commit that it was made from; `unknown` where neither an image nor git tells it. */
type Version = { version: string; commit: string };

const ROOT = resolve(import.meta.dirname, '../../../..');
/** The file in which the build of the image keeps the commit. */
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

/** The folder in which git keeps what belongs to this checkout; a second checkout of a repository has only a file that names it. */
function findGitFolder(root: string): string | undefined {
  const path = resolve(root, '.git');
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) return path;
  const named = /^gitdir: (.+)$/m.exec(read(path) ?? '')?.[1];
  return named === undefined ? undefined : resolve(root, named);
}

/**
 * Reads the commit of a checkout from git's files. git itself refuses to read a checkout of another user, and processes
 * run as users of their own.
 */
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

/** Reads which version is in a folder: an image's or a checkout's. */
export function readVersion(root: string): Version {
  const { version } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as { version: string };
  const commit = read(root, COMMIT_FILE) ?? readCheckout(root) ?? UNKNOWN;
  return { version, commit: COMMIT.test(commit) ? commit : UNKNOWN };
}

/** This version, as it was when the process started. */
export const VERSION: Readonly<Version> = readVersion(ROOT);

/** How a version is written in tags of images: the release and the beginning of the commit. */
export function tagOf({ version, commit }: Version): string {
  return commit === UNKNOWN ? version : `${version}-${commit.slice(0, SHORT)}`;
}

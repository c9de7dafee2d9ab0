import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** Copies of the work tree, in which a bug can be planted without touching the original files. */

const run = promisify(execFile);

const ROOT = join(import.meta.dirname, '../../../..');
const PATCHES = import.meta.dirname;
const LINKED = ['node_modules', 'apps/server/node_modules', 'bin/toolchain/node_modules'];
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** Tracked files, and new files that are not ignored: the tree as it is, committed or not. */
async function listFiles(): Promise<string[]> {
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: ROOT,
    maxBuffer: MAX_LIST_BYTES,
  });
  // Folders that the copy links to are left out: where such a folder is a symbolic link, git lists the link as a new
  // file.
  return [...new Set(stdout.split('\0'))].filter((path) => path !== '' && !LINKED.includes(path));
}

const isGone = (cause: unknown) => (cause as NodeJS.ErrnoException).code === 'ENOENT';

async function copyTree(to: string): Promise<void> {
  const files = await listFiles();
  for (const folder of new Set(files.map((path) => dirname(path)))) await mkdir(join(to, folder), { recursive: true });
  for (const path of files) {
    await copyFile(join(ROOT, path), join(to, path)).catch((cause: unknown) => {
      // A tracked file that is deleted in the work tree is not copied.
      if (!isGone(cause)) throw cause;
    });
  }
  for (const path of LINKED) await symlink(join(ROOT, path), join(to, path));
}

export async function withCopy<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-mutant-'));
  try {
    await copyTree(folder);
    return await use(folder);
  } finally {
    // `rm` removes the symbolic links to folders of the original tree, and does not follow the links.
    await rm(folder, { recursive: true, force: true });
  }
}

/** First line of a command's error output, or undefined when the command succeeded. */
async function complaintOf(command: string, parts: readonly string[], folder: string): Promise<string | undefined> {
  try {
    await run(command, parts, { cwd: folder });
    return undefined;
  } catch (cause) {
    const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string };
    return (stderr.trim() || stdout.trim() || String(cause)).split('\n')[0];
  }
}

const patchOf = (name: string) => join(PATCHES, `${name}.patch`);

/** Plants a bug; returns why the patch does not apply, or undefined. A patch is stale when its source has changed. */
export function plant(folder: string, name: string): Promise<string | undefined> {
  return complaintOf('git', ['apply', patchOf(name)], folder);
}

/** Patches that no longer apply, with the reason. */
export async function findStale(folder: string, names: readonly string[]): Promise<string[]> {
  const stale: string[] = [];
  for (const name of names) {
    const misfit = await complaintOf('git', ['apply', '--check', patchOf(name)], folder);
    if (misfit !== undefined) stale.push(`${name}: ${misfit}`);
  }
  return stale;
}

export async function takeOut(folder: string, name: string): Promise<void> {
  const complaint = await complaintOf('git', ['apply', '--reverse', patchOf(name)], folder);
  if (complaint !== undefined) throw new Error(`${name} cannot be taken out again: ${complaint}`);
}

/**
 * The first type error of the sources, or undefined. Test suites run without type checks and would not show type
 * errors.
 */
async function compile(folder: string): Promise<string | undefined> {
  const settings = join(folder, 'apps/server/tsconfig.sources.json');
  const parts = { extends: './tsconfig.json', include: ['src'], exclude: ['**/*.test.ts'] };
  await writeFile(settings, JSON.stringify(parts));
  return complaintOf(join(ROOT, 'node_modules/.bin/tsc'), ['-p', settings], folder);
}

/** Plants all given bugs whose patches can be applied together. Returns the names of the planted bugs. */
async function plantTogether(folder: string, names: readonly string[]): Promise<string[]> {
  const planted: string[] = [];
  for (const name of names) if ((await plant(folder, name)) === undefined) planted.push(name);
  return planted;
}

/**
 * Type errors of planted bugs. Bugs whose patches apply beside each other are compiled together, because the compiler
 * costs more time than a test; only after an error are the bugs compiled one by one. A patch that does not apply is
 * left out.
 */
export async function compileEach(folder: string, names: readonly string[]): Promise<string[]> {
  const group = await plantTogether(folder, names);
  if (group.length === 0) return [];
  const complaint = await compile(folder);
  for (const name of group.toReversed()) await takeOut(folder, name);
  const later = names.filter((name) => !group.includes(name));
  const complaints = later.length < names.length ? await compileEach(folder, later) : [];
  if (complaint === undefined) return complaints;
  if (group.length === 1) return [...complaints, `${group[0]}: ${complaint}`];
  for (const name of group) complaints.push(...(await compileEach(folder, [name])));
  return complaints;
}

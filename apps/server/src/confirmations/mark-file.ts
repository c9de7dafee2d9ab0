import { randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mark } from './mark.ts';
import { formatMark, parseMark } from './mark.ts';

const MARK_FILE = 'mark.json';
const MODE = 0o600;

const isMissing = (cause: unknown) => cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'w', MODE);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Undefined when the folder has no mark yet. */
export async function readMark(folder: string): Promise<Mark | undefined> {
  try {
    return parseMark(await readFile(join(folder, MARK_FILE), 'utf8'));
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw new Error(`The mark in ${folder} cannot be read.`, { cause });
  }
}

/** Replaces the mark: after a crash or a power cut the file has either the old mark or the new one. */
export async function writeMark(folder: string, mark: Mark): Promise<void> {
  const next = join(folder, `${MARK_FILE}.${randomUUID()}`);
  await writeSynced(next, formatMark(mark));
  await rename(next, join(folder, MARK_FILE));
  await sync(folder);
}

/** Throws when the folder is missing or cannot be written. Removes what a killed process left unfinished. */
export async function requireStateFolder(folder: string): Promise<void> {
  await writeSynced(join(folder, `${MARK_FILE}.${randomUUID()}`), '');
  const unfinished = (await readdir(folder)).filter((name) => name.startsWith(`${MARK_FILE}.`));
  await Promise.all(unfinished.map((name) => rm(join(folder, name), { force: true })));
}

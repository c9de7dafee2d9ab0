import { stat, statfs } from 'node:fs/promises';
import type { Finding } from './finding.ts';
import { doubtful, fine, wrong } from './finding.ts';

/** Free shares at which a disk is soon full, and at which PostgreSQL may stop at any moment. */
const LITTLE = 0.15;
const NOTHING = 0.05;
const GIGABYTE = 1_073_741_824;
const MEND =
  'Find out what fills it (du -x): the write-ahead log of PostgreSQL (see archiving and replication slots), logs, images or backups. Move those away or enlarge the disk; delete nothing in pg_wal. A shorter COUNTERFOIL_WEBHOOK_RETENTION_DAYS frees space only after some days.';

type DiskFacts = { bytes: number; freeBytes: number };

async function readDisk(path: string): Promise<DiskFacts> {
  const { blocks, bavail, bsize } = await statfs(path);
  return { bytes: blocks * bsize, freeBytes: bavail * bsize };
}

/** The existing folders, one per disk. */
async function findDisks(folders: readonly string[]): Promise<string[]> {
  const disks = new Map<number, string>();
  for (const path of folders) {
    const found = await stat(path).catch(() => undefined);
    if (found && !disks.has(found.dev)) disks.set(found.dev, path);
  }
  return [...disks.values()];
}

/** Judges the free space of a disk. */
export function judgeDisk(path: string, { bytes, freeBytes }: DiskFacts): Finding {
  const share = bytes === 0 ? 0 : freeBytes / bytes;
  const says = `${Math.floor(freeBytes / GIGABYTE)} GB, ${Math.floor(share * 100)} %, of the disk of ${path} on this host are free.`;
  if (share < NOTHING) return wrong('disk', says, MEND);
  return share < LITTLE ? doubtful('disk', says, MEND) : fine('disk', says);
}

/** Examines this host's disks with these folders, once each. */
export async function examineDisks(folders: readonly string[]): Promise<Finding[]> {
  const paths = await findDisks(folders);
  return Promise.all(paths.map(async (path) => judgeDisk(path, await readDisk(path))));
}

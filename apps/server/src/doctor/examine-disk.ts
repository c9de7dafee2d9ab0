import { statfs } from 'node:fs/promises';
import type { Finding } from './finding.ts';
import { doubtful, fine, wrong } from './finding.ts';

/** Free shares of a disk below which it is soon full, and below which PostgreSQL may stop at any moment. */
const LITTLE = 0.15;
const NOTHING = 0.05;
const GIGABYTE = 1_073_741_824;

type DiskFacts = { bytes: number; freeBytes: number };

export async function readDisk(path: string): Promise<DiskFacts> {
  const { blocks, bavail, bsize } = await statfs(path);
  return { bytes: blocks * bsize, freeBytes: bavail * bsize };
}

/** Judges how much of a disk is free. Pure. */
export function judgeDisk(path: string, { bytes, freeBytes }: DiskFacts): Finding {
  const share = bytes === 0 ? 0 : freeBytes / bytes;
  const says = `${Math.floor(freeBytes / GIGABYTE)} GB, ${Math.floor(share * 100)} %, of the disk of ${path} are free.`;
  const mend = 'Enlarge the disk, or lower COUNTERFOIL_WEBHOOK_RETENTION_DAYS; a database without space stops.';
  if (share < NOTHING) return wrong('disk', says, mend);
  return share < LITTLE ? doubtful('disk', says, mend) : fine('disk', says);
}

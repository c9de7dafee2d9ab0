import { createHash, randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { ALPHANUMERIC, randomText } from '../lib/random.ts';
import { BOX_KEY_BYTES } from '../lib/secret-box.ts';
import { Refusal } from '../lib/refusal.ts';

/** Keys that seal secrets at rest, in a file outside the database; the database decides which one seals. */
export type KeyRing = {
  readonly keys: ReadonlyMap<string, Buffer>;
  /** Reads the file again, because a missing key may have been added; absent without a file. */
  readonly readAgain?: () => Promise<void>;
};

const OWNER_ONLY = 0o600;
const PERMISSIONS = 0o777;
const OWNER = 0o700;
const GROUP_READS = 0o040;
const ROOT = 0;

const ringFile = z.object({ keys: z.record(z.string(), z.base64()) });

export function drawRingKey(): { id: string; key: Buffer } {
  return { id: `k${randomText(ALPHANUMERIC, 8)}`, key: randomBytes(BOX_KEY_BYTES) };
}

export function withRingKey(ring: KeyRing, id: string, key: Buffer): KeyRing {
  return { keys: new Map([...ring.keys, [id, key]]) };
}

export function withoutRingKey(ring: KeyRing, id: string): KeyRing {
  return { keys: new Map([...ring.keys].filter(([name]) => name !== id)) };
}

export function createKeyRing(): KeyRing {
  const { id, key } = drawRingKey();
  return withRingKey({ keys: new Map() }, id, key);
}

export function ringKey(ring: KeyRing, id: string): Buffer {
  const key = ring.keys.get(id);
  if (!key) throw new Refusal('RING_LACKS_KEY', { key: id });
  return key;
}

/** A missing key causes another read of the file. */
export async function findRingKey(ring: KeyRing, id: string): Promise<Buffer> {
  if (!ring.keys.has(id)) await ring.readAgain?.();
  return ringKey(ring, id);
}

/** Whether others can read the file. Root's may be readable by the process's group, as orchestrators mount it. */
function isOpenToOthers({ mode, uid }: { mode: number; uid: number }): boolean {
  const allowed = uid === ROOT ? OWNER | GROUP_READS : OWNER;
  return (mode & PERMISSIONS & ~allowed) !== 0;
}

async function openRingFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
      throw new Refusal('RING_MISSING', { path });
    throw new Refusal('RING_NOT_READABLE', { path });
  }
}

type RingText = { parsed: z.output<typeof ringFile>; digest: string };

async function readRingFile(path: string): Promise<RingText> {
  const file = await openRingFile(path);
  try {
    if (isOpenToOthers(await file.stat())) throw new Refusal('RING_OPEN_TO_OTHERS', { path });
    const bytes = await file.readFile();
    const digest = createHash('sha256').update(bytes).digest('hex');
    return { parsed: ringFile.parse(JSON.parse(bytes.toString('utf8'))), digest };
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    // Without a cause, which could quote a key.
    throw new Refusal('RING_DAMAGED', { path });
  } finally {
    await file.close();
  }
}

/** The ring, and the SHA-256 of exactly the bytes it was read from. */
export async function readRingAndDigest(path: string): Promise<{ ring: KeyRing; digest: string }> {
  const { parsed, digest } = await readRingFile(path);
  const keys = new Map(Object.entries(parsed.keys).map(([id, text]) => [id, Buffer.from(text, 'base64')]));
  for (const [id, key] of keys) {
    if (key.length !== BOX_KEY_BYTES) throw new Refusal('KEY_MALFORMED', { key: id });
  }
  if (keys.size === 0) throw new Refusal('RING_EMPTY', { path });
  return { ring: { keys }, digest };
}

export async function readKeyRing(path: string): Promise<KeyRing> {
  return (await readRingAndDigest(path)).ring;
}

/** The ring reads its file again when a key is missing. */
export async function openKeyRing(path: string): Promise<KeyRing> {
  let ring = await readKeyRing(path);
  return {
    get keys() {
      return ring.keys;
    },
    readAgain: async () => {
      ring = await readKeyRing(path);
    },
  };
}

type Owned = { mode: number; uid: number; gid: number };

/** Replaces a file by renaming a temporary one with owner and mode of `like`, safe against crashes. */
async function replaceFile(path: string, text: string | Buffer, like: Owned | undefined): Promise<void> {
  const draft = `${path}.new`;
  // A leftover of an earlier crash may have wrong permissions.
  await rm(draft, { force: true });
  const file = await open(draft, 'wx', OWNER_ONLY);
  try {
    await file.writeFile(text);
    const own = await file.stat();
    if (like && (like.uid !== own.uid || like.gid !== own.gid)) await file.chown(like.uid, like.gid);
    if (like) await file.chmod(like.mode & (OWNER_ONLY | GROUP_READS));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Replaces the ring file atomically; the old one is kept as `.previous`. */
export async function writeKeyRing(path: string, ring: KeyRing): Promise<void> {
  const keys = Object.fromEntries([...ring.keys].map(([id, key]) => [id, key.toString('base64')]));
  const present = await stat(path).catch(() => undefined);
  if (present) await replaceFile(`${path}.previous`, await readFile(path), present);
  await replaceFile(path, `${JSON.stringify({ keys }, null, 2)}\n`, present);
}

import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { OperatorError } from '../lib/errors.ts';
import { ALPHANUMERIC, randomText } from '../lib/random.ts';
import { BOX_KEY_BYTES } from '../lib/secret-box.ts';

/** The keys that seal secrets at rest. They live in a file outside the database; `active` seals what is new. */
export type KeyRing = { active: string; keys: ReadonlyMap<string, Buffer> };

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;

const ringFile = z.object({
  active: z.string(),
  keys: z.record(z.string(), z.base64()),
});

export function createKeyRing(): KeyRing {
  return addRingKey({ active: '', keys: new Map() });
}

/** The same ring with one more key, which becomes the active one. */
export function addRingKey(ring: KeyRing): KeyRing {
  const id = `k${randomText(ALPHANUMERIC, 8)}`;
  return { active: id, keys: new Map([...ring.keys, [id, randomBytes(BOX_KEY_BYTES)]]) };
}

export function ringKey(ring: KeyRing, id: string): Buffer {
  const key = ring.keys.get(id);
  if (!key) throw new OperatorError(`The key ring lacks key ${id}, which sealed what is stored here.`);
  return key;
}

async function readRingFile(path: string): Promise<z.output<typeof ringFile>> {
  const file = await stat(path).catch(() => undefined);
  if (!file)
    throw new OperatorError(`There is no key ring at ${path}: restore it, or write the first with keyring init.`);
  if ((file.mode & OTHERS) !== 0) throw new OperatorError(`The key ring ${path} is open to others: chmod 600 it.`);
  try {
    return ringFile.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    // Without the cause: it could quote a key.
    throw new OperatorError(`The key ring ${path} is not a key ring, or damaged.`);
  }
}

export async function readKeyRing(path: string): Promise<KeyRing> {
  const parsed = await readRingFile(path);
  const keys = new Map(Object.entries(parsed.keys).map(([id, text]) => [id, Buffer.from(text, 'base64')]));
  const ring = { active: parsed.active, keys };
  for (const id of keys.keys()) {
    if (ringKey(ring, id).length !== BOX_KEY_BYTES)
      throw new OperatorError(`Key ${id} of the ring has the wrong length.`);
  }
  ringKey(ring, ring.active);
  return ring;
}

/** Written beside and renamed over, so that a crash leaves the old ring or the new one. */
export async function writeKeyRing(path: string, ring: KeyRing): Promise<void> {
  const keys = Object.fromEntries([...ring.keys].map(([id, key]) => [id, key.toString('base64')]));
  const draft = `${path}.new`;
  // What a crash left there keeps its own permissions.
  await rm(draft, { force: true });
  await writeFile(draft, `${JSON.stringify({ active: ring.active, keys }, null, 2)}\n`, {
    mode: OWNER_ONLY,
    flag: 'wx',
    flush: true,
  });
  await rename(draft, path);
}

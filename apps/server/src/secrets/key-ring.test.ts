import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKeyRing, readKeyRing, writeKeyRing } from './key-ring.ts';

const SOURCE = fileURLToPath(new URL('key-ring.ts', import.meta.url));
/** User and group ids that no account of the machine has. */
const GROUP = 54_321;
const SOMEBODY = 54_322;
const isRoot = process.getuid?.() === 0;

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'counterfoil-ring-'));
  path = join(folder, 'ring.json');
});
afterEach(() => rm(folder, { recursive: true }));

async function place(mode: string, uid?: number, gid?: number): Promise<void> {
  await writeKeyRing(path, createKeyRing());
  await chmod(path, Number.parseInt(mode, 8));
  if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
}

/** Reads the ring in a process without privileges; returns how many keys it has, or the error's code. */
async function readAs(uid: number, gid: number): Promise<string> {
  await chmod(folder, 0o755);
  const script = `import { readKeyRing } from ${JSON.stringify(SOURCE)};
    console.log(await readKeyRing(${JSON.stringify(path)}).then((ring) => ring.keys.size, (cause) => cause.code));`;
  return new Promise((resolve, reject) => {
    const words = ['--no-warnings', '--input-type=module-typescript', '-e', script];
    execFile(process.execPath, words, { uid, gid, cwd: '/' }, (cause, out) =>
      cause ? reject(cause) : resolve(out.trim()),
    );
  });
}

describe('the ring file', () => {
  test('the ring file is readable by its owner only, and comes back as it was written', async () => {
    const ring = createKeyRing();
    await writeKeyRing(path, ring);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readKeyRing(path)).toEqual(ring);
  });

  test('the ring file may name an active key, as earlier versions wrote it: the database says which one seals', async () => {
    const key = Buffer.alloc(32, 7);
    await writeFile(path, JSON.stringify({ active: 'k1', keys: { k1: key.toString('base64') } }), { mode: 0o600 });
    expect(await readKeyRing(path)).toEqual({ keys: new Map([['k1', key]]) });
  });

  test('the ring file is replaced with the one before kept beside it, and nothing else left', async () => {
    const rings = [createKeyRing(), createKeyRing(), createKeyRing()];
    for (const ring of rings) await writeKeyRing(path, ring);
    expect(await readKeyRing(path)).toEqual(rings[2]);
    expect(await readKeyRing(`${path}.previous`)).toEqual(rings[1]);
    expect((await readdir(folder)).toSorted()).toEqual(['ring.json', 'ring.json.previous']);
  });

  test.each(['604', '620', '660', '644', '666', '610'])(
    'a ring file with mode %s is refused, whoever owns it',
    async (mode) => {
      await place(mode);
      await expect(readKeyRing(path)).rejects.toMatchObject({ code: 'RING_OPEN_TO_OTHERS' });
    },
  );

  test.each([
    ['is not JSON', '{', 'RING_DAMAGED'],
    ['has another shape', '{"keys": []}', 'RING_DAMAGED'],
    ['has no key', '{"keys": {}}', 'RING_EMPTY'],
    ['has a short key', '{"keys": {"k1": "AAAA"}}', 'KEY_MALFORMED'],
    ['has a key that is not base64', '{"keys": {"k1": "***"}}', 'RING_DAMAGED'],
  ])('a ring file that %s is refused', async (_fault, text, code) => {
    await writeFile(path, text, { mode: 0o600 });
    await expect(readKeyRing(path)).rejects.toMatchObject({ code });
  });

  test('a ring file that is not there is refused', async () => {
    await expect(readKeyRing(path)).rejects.toMatchObject({ code: 'RING_MISSING' });
  });

  test('an old draft left open to others by a crash does not make the new ring readable to them', async () => {
    await writeFile(`${path}.new`, 'left over', { mode: 0o644 });
    await writeKeyRing(path, createKeyRing());
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).not.toContain('left over');
  });
});

/** Only root can give files away and drop its privileges. */
describe.runIf(isRoot)('a ring file of root', () => {
  test.each(['440', '640'])('a ring file with mode %s is accepted by a process of its group', async (mode) => {
    await place(mode, 0, GROUP);
    expect(await readAs(SOMEBODY, GROUP)).toBe('1');
  });

  test('a ring file that the group may write is refused', async () => {
    await place('660', 0, GROUP);
    expect(await readAs(SOMEBODY, GROUP)).toBe('RING_OPEN_TO_OTHERS');
  });

  test('a ring file that everybody may read is refused', async () => {
    await place('444', 0, GROUP);
    expect(await readAs(SOMEBODY, GROUP)).toBe('RING_OPEN_TO_OTHERS');
  });

  test('a ring file of another group cannot be opened, and says so', async () => {
    await place('440', 0, GROUP);
    expect(await readAs(SOMEBODY, SOMEBODY)).toBe('RING_NOT_READABLE');
  });

  test('a ring file of somebody else is refused as soon as a group may read it', async () => {
    await place('640', SOMEBODY, GROUP);
    expect(await readAs(SOMEBODY, GROUP)).toBe('RING_OPEN_TO_OTHERS');
    await expect(readKeyRing(path)).rejects.toMatchObject({ code: 'RING_OPEN_TO_OTHERS' });
  });

  test('the ring file keeps its owner, group and mode when it is replaced', async () => {
    await place('440', 0, GROUP);
    await writeKeyRing(path, createKeyRing());
    for (const file of [path, `${path}.previous`]) {
      const { uid, gid, mode } = await stat(file);
      expect([uid, gid, mode & 0o777]).toEqual([0, GROUP, 0o440]);
    }
  });
});

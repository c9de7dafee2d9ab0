import { Refusal } from '../lib/refusal.ts';
import { z } from 'zod';
import { command } from './command.ts';
import { abandonRingKey } from '../secrets/abandon-ring-key.ts';
import { addRingKey } from '../secrets/add-ring-key.ts';
import { initKeyRing } from '../secrets/init-key-ring.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { readKeyRing } from '../secrets/key-ring.ts';
import type { OperatorContext } from './operator-context.ts';
import { wordRefusal } from './refusal-words.ts';
import { resealSecrets } from '../secrets/reseal-secrets.ts';
import { retireRingKey } from '../secrets/retire-ring-key.ts';
import { keyStateOf } from '../secrets/key-ring-check.ts';
import { readLivingHolders } from '../secrets/ring-holder-sql.ts';
import { readKnownKeys } from '../secrets/ring-key-sql.ts';
import { countSecretsByRingKey } from '../secrets/secret-sql.ts';

const MAX_REASON = 500;

const nothing = z.object({});

const init = command<OperatorContext, typeof nothing>('keyring init', {
  summary: 'Write the first key ring file, or take the one that is there, and make it known to the database.',
  options: {},
  input: nothing,
  run: async ({ database, clock, actor, keyRingFile }) => {
    const path = keyRingFile();
    return {
      file: path,
      sealing: await initKeyRing({ database, clock, keyRingFile: path }, actor),
      note: 'Back it up apart from the database: without it, sealed secrets are lost.',
    };
  },
});

const add = command<OperatorContext, typeof nothing>('keyring add', {
  summary: 'Add a key that seals nothing yet. Then back the file up, copy it to every host, and keyring reseal.',
  options: {},
  input: nothing,
  run: async ({ database, clock, actor, keyRingFile }) => {
    const path = keyRingFile();
    const key = await addRingKey({ database, clock, keyRingFile: path }, actor);
    return {
      key,
      file: path,
      previous: `${path}.previous`,
      next: 'Back the file up, then keyring reseal --copy-digest with the SHA-256 of that backup.',
    };
  },
});

const resealInput = z.object({
  key: z.string().optional(),
  'copy-digest': z
    .string({ error: 'needs the SHA-256 of a backup of the ring file as it is now (sha256sum)' })
    .trim()
    .toLowerCase()
    .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex, as sha256sum prints it'),
});

const reseal = command<OperatorContext, typeof resealInput>('keyring reseal', {
  summary:
    'Seal everything, and what is new, with a key that every running process holds. Safe to repeat after a crash.',
  options: {
    key: 'KEY        (the one that was added last)',
    'copy-digest': 'SHA256     of a fresh backup of the ring file',
  },
  input: resealInput,
  run: ({ database, clock, actor, keyRingFile }, { key, 'copy-digest': copyDigest }) =>
    resealSecrets({ database, clock, keyRingFile: keyRingFile() }, actor, { key, copyDigest }),
});

const retireInput = z.object({ key: z.string() });

const retire = command<OperatorContext, typeof retireInput>('keyring retire', {
  summary: 'Let the database and the ring forget a key that seals nothing.',
  options: { key: 'KEY' },
  input: retireInput,
  run: async ({ database, clock, actor, keyRingFile }, { key }) => {
    const path = keyRingFile();
    await retireRingKey({ database, clock, keyRingFile: path }, actor, { key });
    return { retired: key, file: path, previous: `${path}.previous` };
  },
});

const abandonInput = z.object({ key: z.string(), reason: z.string().min(1).max(MAX_REASON) });

const abandon = command<OperatorContext, typeof abandonInput>('keyring abandon', {
  summary: 'Abandon a lost key and all secrets that it sealed, so that new secrets can be created.',
  options: { key: 'KEY', reason: 'TEXT    for the audit trail' },
  input: abandonInput,
  run: async ({ database, clock, actor, keyRingFile }, { key, reason }) => {
    const context = { database, clock, keyRingFile: keyRingFile() };
    const { secrets, sealing } = await abandonRingKey(context, actor, { key, reason });
    return {
      abandoned: key,
      secrets,
      sealing: sealing ?? 'none: run keyring init',
      next: 'webhook rotate for each store of webhook unsigned; API keys still work, and key create makes one that can be shown',
    };
  },
});

async function readIfUsable(path: string): Promise<KeyRing | string> {
  try {
    return await readKeyRing(path);
  } catch (cause) {
    if (cause instanceof Refusal) return wordRefusal(cause);
    throw cause;
  }
}

const status = command<OperatorContext, typeof nothing>('keyring status', {
  summary: 'Which key seals, how many secrets each key seals, and which processes hold it.',
  options: {},
  input: nothing,
  run: async ({ database, keyRingFile }) => {
    const ring = await readIfUsable(keyRingFile());
    const counts = await countSecretsByRingKey(database.queries);
    const holders = await readLivingHolders(database.queries);
    const known = await readKnownKeys(database.queries);
    const nameOf = ({ kind, host, pid }: (typeof holders)[number]) => `${kind} ${host}:${pid}`;
    const unknown =
      typeof ring === 'string' ? [] : [...ring.keys.keys()].filter((id) => !known.some((k) => k.id === id));
    return [
      ...known.map((key) => ({
        key: key.id,
        seals: key.seals,
        secrets: counts.find((count) => count.ringKeyId === key.id)?.secrets ?? 0n,
        file: typeof ring === 'string' ? ring : keyStateOf(ring, key),
        held_by: holders.filter(({ keyIds }) => keyIds.includes(key.id)).map(nameOf),
        lacked_by: holders.filter(({ keyIds }) => !keyIds.includes(key.id)).map(nameOf),
      })),
      ...unknown.map((id) => ({ key: id, seals: false, secrets: 0n, file: 'held, and not known to the database' })),
    ];
  },
});

export const keyRingCommands = [init, add, reseal, retire, abandon, status];

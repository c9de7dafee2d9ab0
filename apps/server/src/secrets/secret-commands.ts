import { access } from 'node:fs/promises';
import { z } from 'zod';
import { recordAudit } from '../audit/record-audit.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { inTransaction } from '../db/transaction.ts';
import { command } from '../lib/command.ts';
import { OperatorError } from '../lib/errors.ts';
import { createKeyRing, writeKeyRing } from './key-ring.ts';
import type { OperatorContext } from './operator.ts';
import { registerKeyRing } from './register-key-ring.ts';
import { rotateKeyRing } from './rotate-key-ring.ts';
import { countSecretsByRingKey, readRingKeys } from './secret-store.ts';

const nothing = z.object({});

const initKeyRing = command<OperatorContext, typeof nothing>('keyring init', {
  summary: 'Write a new key ring file and make it known to the database.',
  options: {},
  input: nothing,
  run: async ({ database, clock, actor, keyRingFile }) => {
    const path = keyRingFile();
    const exists = await access(path).then(
      () => true,
      () => false,
    );
    if (exists) throw new OperatorError(`${path} exists already. To add a key, use keyring rotate.`);
    if ((await readRingKeys(database.queries)).length > 0) {
      throw new OperatorError(
        'The database already knows a key ring: restore its file, a new one could not open what is sealed.',
      );
    }
    const ring = createKeyRing();
    await writeKeyRing(path, ring);
    await registerKeyRing(database.queries, ring);
    await inTransaction(database, (tx) =>
      recordAudit(tx, clock, { actor, action: 'key_ring.init', subject: 'key_ring', details: { after: ring.active } }),
    );
    return {
      file: path,
      active: ring.active,
      note: 'Back it up apart from the database: without it, sealed secrets are lost.',
    };
  },
});

const rotate = command<OperatorContext, typeof nothing>('keyring rotate', {
  summary: 'Add a key to the ring and seal every secret anew with it. Safe to repeat after a crash.',
  options: {},
  input: nothing,
  run: async ({ database, clock, actor, keyRing, keyRingFile }) =>
    rotateKeyRing(database, clock, { ring: await keyRing(), path: keyRingFile(), actor }),
});

const status = command<OperatorContext, typeof nothing>('keyring status', {
  summary: 'Which key is active and how many secrets each key seals.',
  options: {},
  input: nothing,
  run: async ({ database, keyRing }) => {
    const ring = await keyRing();
    const counts = await countSecretsByRingKey(database.queries);
    return [...ring.keys.keys()].map((id) => ({
      key: id,
      active: id === ring.active,
      secrets: counts.find((count) => count.ringKeyId === id)?.secrets ?? 0n,
    }));
  },
});

const verify = command<OperatorContext, typeof nothing>('audit verify', {
  summary: 'Recompute the chain of audit entries.',
  options: {},
  input: nothing,
  run: async ({ database }) => {
    const verdict = await verifyAudit(database.queries);
    if (verdict.brokenAt !== undefined)
      throw new OperatorError(`Audit entry ${verdict.brokenAt} was changed, or one before it is missing.`);
    return verdict;
  },
});

export const secretCommands = [initKeyRing, rotate, status, verify];

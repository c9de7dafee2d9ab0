import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createApiKeyText, hashApiKey, isWellFormedApiKey } from '../../src/stores/api-key.ts';
import { ADMIT_STATEMENTS } from '../../src/stores/admission-sql.ts';
import { issueApiKey } from '../../src/stores/issue-api-key.ts';
import { revealApiKey } from '../../src/stores/reveal-api-key.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import type { Target } from './attack-client.ts';
import { create, lookup, openTarget, post, send, stopAndRead } from './attack-client.ts';

const CHECKSUM_LENGTH = 6;
const SOURCE = join(import.meta.dirname, '../../src');

let target: Target;
let stores: TestStore[];
let secrets: string[];

beforeAll(async () => {
  target = await openTarget({ COUNTERFOIL_LOG_LEVEL: 'debug' });
  stores = [await openStore(target.database), await openStore(target.database)];
  const [first] = stores;
  if (!first) throw new Error('No store.');
  const { ref, ring } = first;
  const context = { database: target.database, clock: systemClock, ring, jobs: undefined };
  const renewed = await issueApiKey(context, TESTER, { store: ref, overlapHours: 1 });
  // Revealing a key must leave no more traces than creating it.
  const revealed = await revealApiKey(context, TESTER, { store: ref });
  secrets = [renewed, revealed, ...stores.flatMap((store) => [store.apiKey, store.webhookSecret])];
});

afterAll(() => target.close());

/** Forms in which a secret could be stored: whole, without its public ends, as hex and as base64. */
function formsOf(secret: string): string[] {
  const core = secret.startsWith('whsec_')
    ? secret.slice('whsec_'.length)
    : secret.slice('cf_live_'.length, -CHECKSUM_LENGTH);
  return [core, Buffer.from(core).toString('hex'), Buffer.from(secret).toString('base64').replace(/=+$/, '')];
}

/** Every row of every table as text; bytea appears as hex. */
async function dumpDatabase(): Promise<string> {
  const { rows: tables } = await target.database.pool.query<{ name: string }>(
    `select quote_ident(relname) as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
  );
  const dumps = tables.map(async ({ name }) => {
    const { rows } = await target.database.pool.query<{ row: string }>(`select t::text as row from ${name} t`);
    return rows.map(({ row }) => row).join('\n');
  });
  return (await Promise.all(dumps)).join('\n');
}

/** Uses every key in all places where it could appear by mistake. */
async function leaveTraces(): Promise<void> {
  for (const store of stores) {
    const { transport } = target;
    await create(transport, store, { request_id: 'same', name: 'one' });
    await create(transport, store, { request_id: 'same', name: 'two' });
    await create(transport, store, { amount: -1 });
    await post(transport, store, '{"broken');
    await post(transport, store, 'x'.repeat(20_000));
    await lookup(transport, store, store.apiKey);
    await send(transport, { path: `/invoice/?x-api-key=${store.apiKey}`, headers: [['x-api-key', store.apiKey]] });
    await send(transport, { path: `/${store.apiKey}/${encodeURIComponent(store.webhookSecret)}` });
    await send(transport, { path: '/', headers: [['authorization', `Bearer ${store.apiKey}`]] });
    await send(transport, { path: '/', headers: [['cookie', `secret=${store.webhookSecret}`]] });
  }
}

/** Causes failures that are logged with their cause: the statement fails with the key among its parameters. */
async function failWithKeys(): Promise<void> {
  await target.database.pool.query('alter table api_keys rename to api_keys_away');
  for (const store of stores) expect((await create(target.transport, store)).status).toBe(500);
  await target.database.pool.query('alter table api_keys_away rename to api_keys');
  await target.database.pool.query('alter table wallets rename to wallets_away');
  for (const store of stores) expect((await create(target.transport, store)).status).toBe(500);
  await target.database.pool.query('alter table wallets_away rename to wallets');
}

describe('theft of keys and secrets', () => {
  test('a stolen dump holds no API key and no webhook secret: hashes for lookup, sealed copies for showing', async () => {
    await leaveTraces();
    const dump = await dumpDatabase();
    // The search works: it finds the hash in the form in which bytea appears.
    for (const store of stores) expect(dump).toContain(hashApiKey(store.apiKey).toString('hex'));
    for (const secret of secrets) {
      for (const form of formsOf(secret)) expect(dump).not.toContain(form);
    }
  });

  test('what the server writes holds no key and no secret, also when it fails, at the most talkative level', async () => {
    await leaveTraces();
    await failWithKeys();
    const output = await stopAndRead(target);
    expect(output).toContain('"msg":"request failed"');
    expect(output).toContain('"msg":"answered"');
    for (const secret of secrets) {
      for (const form of formsOf(secret)) expect(output).not.toContain(form);
    }
  });
});

describe('timing of the key comparison', () => {
  test('a key is found by its hash: no statement and no code compares its text', () => {
    for (const { text } of Object.values(ADMIT_STATEMENTS)) {
      expect(text).toContain('k.hash = a.key_hash');
      expect(text).not.toMatch(/secret|sealed|hint/);
    }
    const sources = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
      .map((path) => readFileSync(join(SOURCE, path), 'utf8'));
    for (const text of sources) expect(text).not.toMatch(/\b(?:apiKey|webhookSecret)\s*[!=]==?\s*(?!undefined|'')/);
  });

  test('a key that differs only at its end fails its checksum before anything is hashed or asked', () => {
    for (const { apiKey } of stores) {
      for (let cut = 1; cut <= CHECKSUM_LENGTH; cut += 1) {
        const end = apiKey.slice(-cut);
        const other = end.replaceAll(/./g, (one) => (one === 'x' ? 'y' : 'x'));
        expect(isWellFormedApiKey(apiKey.slice(0, -cut) + other)).toBe(false);
      }
    }
  });

  test('the hash of a key that differs from a real one in one character has nothing in common with the real hash', () => {
    const key = createApiKeyText(true, 'A');
    const near = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x');
    const [one, other] = [hashApiKey(key), hashApiKey(near)];
    const sameBytes = one.filter((byte, position) => byte === other[position]).length;
    expect(one).toHaveLength(32);
    expect(sameBytes).toBeLessThan(8);
  });
});

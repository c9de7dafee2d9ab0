import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { pagesPerCall } from '../../rig/database/measure-buffers.ts';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore, TESTER } from '../../rig/stores/open-store.ts';
import { actAs } from '../../src/db/act-as.ts';
import type { Queries } from '../../src/db/database.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { addMember } from '../../src/people/add-member.ts';
import { createPerson } from '../../src/people/create-person.ts';
import { listApiKeys } from '../../src/stores/api-key-sql.ts';
import { findLogoName, readBrand } from '../../src/stores/brand-sql.ts';
import { readStoreSettings } from '../../src/stores/store-sql.ts';
import { listWebhookSecrets } from '../../src/stores/webhook-secret-sql.ts';
import { listMethods } from '../../src/wallets/wallet-sql.ts';

/** What the dashboard shows of one store costs no more the more keys the store had, and the more stores there are. */

const KEYS = 3_000;
const OTHERS = 2_000;
/** Tolerated growth of a call in pages with ten times as many rows. Reading all keys of a store takes more. */
const NOISE_PAGES = 20;

let own: TestDatabase;
let store: TestStore;
let personId: bigint;
beforeAll(async () => {
  own = await openTestDatabase(inject('template'));
  store = await openStore(own.database);
  const context = { database: own.database, clock: systemClock, jobs: undefined };
  const mail = { normal: 'one@acme.test', shown: 'one@acme.test' };
  const { code } = await createPerson(context, TESTER, { mail, name: 'One', language: 'en', operatorRole: null });
  await addMember(context, TESTER, { merchantAccountId: store.merchantAccountId, personCode: code, role: 'owner' });
  const { rows } = await own.database.pool.query<{ id: bigint }>('select id from people where code = $1', [code]);
  personId = rows[0]?.id ?? 0n;
});
afterAll(() => own.drop());

const READS: Record<string, (queries: Queries) => Promise<unknown>> = {
  'the settings': (queries) => readStoreSettings(queries, store.id),
  'the newest keys and their days': (queries) => listApiKeys(queries, store.id, { keys: 10, days: 30 }),
  'the newest webhook secrets': (queries) => listWebhookSecrets(queries, store.id, 10),
  'the methods and the health of exchange accounts': (queries) => listMethods(queries, store.id, 500),
  'the looks': (queries) => readBrand(queries, store.id),
  'the name of a logo': (queries) => findLogoName(queries, '0'.repeat(64)),
};

function pagesOf(read: (queries: Queries) => Promise<unknown>): Promise<number> {
  const { queries } = actAs(own.as('views'), { personId }, { prepared: false });
  return pagesPerCall(own.database.pool, queries, () => read(queries));
}

async function measure(): Promise<Record<string, number>> {
  await own.database.pool.query('vacuum analyze');
  const pages: Record<string, number> = {};
  for (const [name, read] of Object.entries(READS)) pages[name] = await pagesOf(read);
  return pages;
}

/** Other stores with keys, days, secrets, looks and exchange accounts; and old keys and secrets of the own store. */
const SEED = `
  with made as (
    insert into merchants (name, created_at) select 'Other ' || n, now() from generate_series(1, $3::integer) n returning id),
  stores_made as (
    insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
    select m.id, 'MID-X' || m.id, 'A', 'Store', (select min(id) from plans), now() from made m returning id, merchant_account_id),
  looks as (insert into brands (store_id, display_name) select id, 'Look' from stores_made),
  accounts as (
    insert into exchange_accounts (network, account, merchant_account_id, secret_id, base_url, key_hint, bound_to_addresses,
      is_sub_account, added_at, checked_at, check_due_at)
    select 'EXCHANGE_PAY:OKX', 'x' || id, merchant_account_id, (select min(id) from secrets), 'https://okx.example', 'abcd', true,
      false, now(), now(), now() from stores_made),
  keys as (
    insert into api_keys (store_id, hash, secret_id, hint, created_at, expires_at)
    select s.id, sha256(('other' || s.id)::bytea), (select min(id) from secrets), 'abcd', now(), 'infinity' from stores_made s
    union all
    select $1, sha256(('own' || $2::integer || ' ' || n)::bytea), (select min(id) from secrets), 'abcd', now(), now() from generate_series(1, $2::integer) n
    returning id, store_id),
  secrets as (
    insert into webhook_secrets (store_id, secret_id, created_at, expires_at)
    select $1, (select min(id) from secrets), now(), now() from generate_series(1, $2::integer))
  insert into api_key_days (key_id, store_id, day, calls, last_used_at)
  select k.id, k.store_id, current_date - d, 1, now() from keys k cross join generate_series(0, 4) d`;

/** Seeds on a connection without the server's time limit of statements. */
async function seed(keys: number, others: number): Promise<void> {
  const client = new pg.Client({ connectionString: own.url });
  await client.connect();
  await client.query(SEED, [store.id, keys, others]);
  await client.end();
}

test('whatever is shown of a store touches no more pages with thousands of old keys and of other stores', async () => {
  await seed(KEYS / 10, OTHERS / 10);
  const few = await measure();
  await seed(KEYS, OTHERS);
  const many = await measure();
  const grown = Object.keys(READS).filter((name) => (many[name] ?? 0) > (few[name] ?? 0) + NOISE_PAGES);
  expect({ few, many, grown }).toEqual({ few, many, grown: [] });
  const { queries } = actAs(own.as('views'), { personId }, { prepared: false });
  expect(await listApiKeys(queries, store.id, { keys: 10, days: 30 })).toHaveLength(10);
});

test('the check itself sees a list that reads all keys of a store', async () => {
  const pages = await pagesOf((queries) =>
    sql`select hint from api_keys where store_id = ${store.id} and hint = 'none' order by expires_at`.execute(queries),
  );
  expect(pages).toBeGreaterThan(NOISE_PAGES + 10);
});

import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { CONTRACT_PLAN, LIFTED_PLAN, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { systemClock } from '../lib/clock.ts';
import type { Admission, AdmissionAsk } from './admission-sql.ts';
import { admitAll, deleteIdleAdmissions } from './admission-sql.ts';
import { createForgetAdmissions } from './forget-admissions.ts';
import { createApiKeyText, hashApiKey } from './api-key.ts';
import { issueApiKey } from './issue-api-key.ts';

let own: TestDatabase;
beforeEach(async () => {
  own = await openTestDatabase(inject('template'));
});
afterEach(() => own.drop());

const contractStore = () => openStore(own.database, { plan: CONTRACT_PLAN, wallet: false, creditMicroUsd: 0n });
const askOf = (store: TestStore, address = '192.0.2.1'): AdmissionAsk => ({
  keyHash: hashApiKey(store.apiKey),
  address,
});
const stranger = (address: string): AdmissionAsk => ({ keyHash: null, address });
const unknownKey = (address: string): AdmissionAsk => ({
  keyHash: hashApiKey(createApiKeyText(true, 'A')),
  address,
});

/** Parts of an admission that a caller can distinguish; resets depend on the moment of asking. */
const seen = ({ store, rate }: Admission) => ({
  merchantId: store?.merchantId,
  exceeded: rate.exceeded,
  limit: rate.window.limit,
  remaining: rate.window.remaining,
});

/** Keeps rate windows open while a test runs, by setting their start into the future. */
async function holdWindows(): Promise<void> {
  await own.database.pool.query(
    `update admissions set burst_started_at = now() + interval '1 hour', sustained_started_at = now() + interval '1 hour'`,
  );
}

/** Keeps rate windows open from their beginning, whichever statement inserts them. */
async function holdNewWindows(): Promise<void> {
  await own.database.pool.query(
    `create function hold_window() returns trigger language plpgsql as $$ begin
       new.burst_started_at = now() + interval '1 hour';
       new.sustained_started_at = now() + interval '1 hour';
       return new;
     end $$;
     create trigger hold_window before insert on admissions for each row execute function hold_window()`,
  );
}

async function admitTogether(asks: readonly AdmissionAsk[]): Promise<Admission[]> {
  return admitAll(own.database.pool, 'create', asks);
}

async function admitOneByOne(asks: readonly AdmissionAsk[]): Promise<Admission[]> {
  const answers: Admission[] = [];
  for (const ask of asks) {
    answers.push(...(await admitTogether([ask])));
    await holdWindows();
  }
  return answers;
}

async function forgetAll(): Promise<void> {
  await own.database.pool.query('delete from admissions');
}

async function setUsed(sustainedUsed: number): Promise<void> {
  await own.database.pool.query('update admissions set burst_used = 0, sustained_used = $1', [sustainedUsed]);
}

const issueSecondKey = ({ ring, ref }: TestStore) =>
  issueApiKey({ database: own.database, clock: systemClock, ring, jobs: undefined }, TESTER, {
    store: ref,
    overlapHours: 1,
  });

/**
 * Requests of two stores, one of them with two keys, and of callers without a key or with an unknown one, from equal
 * and other addresses.
 */
async function mixedAsks(): Promise<AdmissionAsk[]> {
  const [first, second] = [await contractStore(), await contractStore()];
  const secondKey = await issueSecondKey(first);
  const other = { keyHash: hashApiKey(secondKey), address: '192.0.2.9' };
  const unknown = unknownKey('192.0.2.1');
  const turn = [
    askOf(first),
    stranger('192.0.2.1'),
    other,
    askOf(second),
    unknown,
    askOf(first, '192.0.2.7'),
    stranger('192.0.2.2'),
  ];
  return [...turn, ...turn, ...turn];
}

describe('many requests in one statement are judged as if they came one by one', () => {
  test('on fresh windows', async () => {
    const asks = await mixedAsks();
    const together = (await admitTogether(asks)).map(seen);
    await forgetAll();
    expect((await admitOneByOne(asks)).map(seen)).toEqual(together);
    expect(together.filter((one) => one.exceeded === 'burst').length).toBeGreaterThan(0);
  });

  test('when the minute ends in the midst of them', async () => {
    const asks = await mixedAsks();
    const startNearTheEnd = async () => {
      await forgetAll();
      await admitTogether(asks);
      await holdWindows();
      await setUsed(58);
    };
    await startNearTheEnd();
    const together = (await admitTogether(asks)).map(seen);
    await startNearTheEnd();
    expect((await admitOneByOne(asks)).map(seen)).toEqual(together);
    expect(together.map((one) => one.exceeded)).toEqual(expect.arrayContaining([undefined, 'burst', 'sustained']));
  });

  test('two keys of one store share its limits, in the order of their requests', async () => {
    const store = await contractStore();
    const key = await issueSecondKey(store);
    const other = { keyHash: hashApiKey(key), address: '192.0.2.2' };
    const asks = [askOf(store), other, other, askOf(store), other, askOf(store), other];
    expect((await admitTogether(asks)).map((one) => one.rate.exceeded)).toEqual([
      ...Array.from({ length: 5 }, () => undefined),
      'burst',
      'burst',
    ]);
  });

  test('a store and a stranger on the same address are counted apart', async () => {
    const store = await contractStore();
    const asks = [...Array.from({ length: 5 }, () => askOf(store)), stranger('192.0.2.1')];
    expect((await admitTogether(asks)).map((one) => one.rate.exceeded)).toEqual(asks.map(() => undefined));
  });

  test('an unknown key is counted by its address together with callers that have none', async () => {
    const asks = [unknownKey('192.0.2.1'), stranger('192.0.2.1'), unknownKey('192.0.2.1'), stranger('192.0.2.1')];
    const answers = await admitTogether(asks);
    expect(answers.map((one) => one.rate.window.remaining)).toEqual([4, 3, 2, 1]);
    expect(answers.map((one) => one.store)).toEqual(asks.map(() => undefined));
  });

  test('endpoints count apart', async () => {
    const store = await contractStore();
    await admitAll(
      own.database.pool,
      'create',
      Array.from({ length: 9 }, () => askOf(store)),
    );
    const [lookup] = await admitAll(own.database.pool, 'lookup', [askOf(store)]);
    expect(lookup?.rate).toMatchObject({ window: { limit: 20, remaining: 19 } });
  });

  test('each store has the limits of its own plan', async () => {
    const lifted = await openStore(own.database, { plan: LIFTED_PLAN, wallet: false });
    const contract = await contractStore();
    const answers = await admitTogether([askOf(lifted), askOf(contract)]);
    expect(answers.map((one) => one.rate.window.limit)).toEqual([LIFTED_PLAN.createSustained, 5]);
  });

  test('no asks at all are answered by no rows', async () => {
    expect(await admitTogether([])).toEqual([]);
  });
});

const ageWindows = (interval: string) =>
  own.database.pool.query(
    `update admissions set burst_started_at = burst_started_at - $1::interval,
       sustained_started_at = sustained_started_at - $1::interval`,
    [interval],
  );

describe('windows', () => {
  test('after its second a store may burst again, while the minute goes on counting what passed', async () => {
    const store = await contractStore();
    const nine = Array.from({ length: 9 }, () => askOf(store));
    await admitTogether(nine);
    await ageWindows('2 seconds');
    const answers = await admitTogether(nine);
    expect(answers.filter((one) => one.rate.exceeded === undefined)).toHaveLength(5);
    const { rows } = await own.database.pool.query('select burst_used, sustained_used from admissions');
    expect(rows).toEqual([{ burst_used: 9, sustained_used: 10 }]);
  });

  test('after its minute a store starts anew', async () => {
    const store = await contractStore();
    await admitTogether([askOf(store)]);
    await setUsed(60);
    await ageWindows('2 seconds');
    expect((await admitTogether([askOf(store)]))[0]?.rate.exceeded).toBe('sustained');
    await ageWindows('1 minute');
    expect((await admitTogether([askOf(store)]))[0]?.rate).toMatchObject({ window: { limit: 5, remaining: 4 } });
  });

  test('statements at the same moment on several connections let through exactly the limit', async () => {
    const stores = [await contractStore(), await contractStore(), await contractStore()];
    await holdNewWindows();
    const runs = Array.from({ length: 12 }, (_, run) =>
      admitTogether(
        run % 2 === 0 ? stores.map((store) => askOf(store)) : stores.toReversed().map((store) => askOf(store)),
      ),
    );
    const answers = (await Promise.all(runs)).flat();
    for (const store of stores) {
      const passed = answers.filter((one) => one.store?.id === store.id && one.rate.exceeded === undefined);
      expect(passed).toHaveLength(5);
    }
  });
});

const bucketsLeft = async () =>
  (await own.database.pool.query<{ bucket: string }>('select bucket from admissions order by 1')).rows.map(
    (row) => row.bucket,
  );

async function plant(bucket: string, burstAge: string, sustainedAge: string): Promise<void> {
  await own.database.pool.query(
    `insert into admissions (bucket, endpoint, requested, burst_limit, burst_started_at, burst_used,
       sustained_started_at, sustained_used)
     values ($1, 'create', 1, 5, now() - $2::interval, 1, now() - $3::interval, 1)`,
    [bucket, burstAge, sustainedAge],
  );
}

describe('cleaning up', () => {
  test('deletes only rows whose windows have both passed', async () => {
    await plant('idle', '3 minutes', '3 minutes');
    // Open windows begin later than now, so that they are open however long this takes.
    await plant('minute-open', '3 minutes', '-1 hour');
    await plant('second-open', '-1 hour', '3 minutes');
    expect(await deleteIdleAdmissions(own.database.pool, undefined, 10)).toEqual({ deleted: 1, next: undefined });
    expect(await bucketsLeft()).toEqual(['minute-open', 'second-open']);
  });

  test('leaves a row alone that a request is taking, and does not wait for it', async () => {
    await plant('idle', '3 minutes', '3 minutes');
    await plant('taken', '3 minutes', '3 minutes');
    const client = await own.database.pool.connect();
    await client.query('begin');
    await client.query(`update admissions set requested = 2 where bucket = 'taken'`);
    const deleted = await deleteIdleAdmissions(own.database.pool, undefined, 10).catch(String);
    await client.query('commit');
    client.release();
    expect(deleted).toEqual({ deleted: 1, next: undefined });
    expect(await bucketsLeft()).toEqual(['taken']);
  });

  test('walks a table of any size in statements of bounded size, and comes to every row', async () => {
    await own.database.pool.query(
      `insert into admissions (bucket, endpoint, requested, burst_limit, burst_started_at, burst_used, sustained_started_at, sustained_used)
       select 'many ' || n, e, 1, 5, now() - interval '3 minutes', 1, now() - interval '3 minutes', 1
       from generate_series(1, 12000) n cross join unnest(array['create', 'lookup']) e`,
    );
    await plant('many open', '-1 hour', '-1 hour');
    await createForgetAdmissions(own.database.pool)();
    expect(await bucketsLeft()).toEqual(['many open']);
  });
});

describe('keys', () => {
  test('a key that has ended is unknown', async () => {
    const store = await contractStore();
    await own.database.pool.query(`update api_keys set expires_at = now()`);
    expect((await admitTogether([askOf(store)]))[0]?.store).toBeUndefined();
  });

  test('an admitted store comes with everything that a create call needs', async () => {
    const store = await openStore(own.database, {
      plan: { code: 'rich', feeRatePercent: '1.25', minimumFeeMicroUsd: 10_000n, trialDays: 14 },
      discountPercent: '12.5',
      lifetimeMinutes: 45,
      httpsCallbacksOnly: true,
    });
    expect((await admitTogether([askOf(store)]))[0]?.store).toMatchObject({
      id: store.id,
      merchantId: store.merchantId,
      live: true,
      active: true,
      accountActive: true,
      lifetimeMinutes: 45,
      httpsCallbacksOnly: true,
      trialEndsAt: store.trialEndsAt,
      feePlan: { rateUnits: 12_500n, discountUnits: 1_250n, minimumMicroUsd: 10_000n },
    });
  });
});

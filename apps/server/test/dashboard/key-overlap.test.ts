import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openDashboardSite } from '../../rig/people/dashboard-site.ts';
import { makeMember } from '../../rig/people/make-member.ts';
import type { MethodMerchant } from '../../rig/people/method-rig.ts';
import { openMerchant } from '../../rig/people/method-rig.ts';
import type { ServerProcess } from '../../rig/processes/server-process.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';

/** A key that is regenerated while two real processes of the API are called with it. */

const PER_SECOND = 20;
const WITHIN = { what: 'The calls did not come so far.', timeoutMs: 60_000, pollMs: 10 };

const PROCESSES = 2;

const counts = { sent: 0, failed: 0 };

let site: DashboardSite;
let merchant: MethodMerchant;
const apis: ServerProcess[] = [];
let regenerate: (hours: number) => Promise<string>;
let endOld: () => Promise<number>;

beforeAll(async () => {
  site = await openDashboardSite(inject('template'));
  merchant = await openMerchant(site);
  for (let count = 0; count < PROCESSES; count += 1) apis.push(await startApi(site.url));
  const { account, store } = merchant;
  const { person } = await makeMember(site, 'owner', { account, merchantAccountId: store.merchantAccountId });
  const base = `/accounts/${account}/stores/${store.merchantId}/key`;
  regenerate = async (hours) => {
    const { body } = await person.browser.send('POST', base, { overlap_hours: hours });
    return String(body.data?.['api_key']);
  };
  endOld = async () => (await person.browser.send('POST', `${base}/end-old`, {})).status;
});
afterAll(async () => {
  await Promise.all(apis.map((api) => api.stop()));
  await site.close();
});

/** Looks up an invoice that does not exist: a key that works is answered with 404, another one with 401. */
async function ask(api: ServerProcess | undefined, key: string): Promise<number> {
  const headers = { 'x-api-key': key };
  const response = await fetch(`${api?.url}/invoice/TID-0000000000000000`, { headers });
  await response.arrayBuffer();
  return response.status;
}

async function askAndCount(api: ServerProcess | undefined, key: string): Promise<void> {
  const status = await ask(api, key).catch(() => 0);
  counts.sent += 1;
  if (status !== 404) counts.failed += 1;
}

/** Calls both processes in turns with the key of `keyOf` until stopped. */
function keepCalling(keyOf: (call: number) => string) {
  const answers: Promise<void>[] = [];
  const timer = setInterval(() => {
    const call = answers.length;
    answers.push(askAndCount(apis[call % PROCESSES], keyOf(call)));
  }, 1_000 / PER_SECOND);
  /** Waits for the answers to all calls that were made so far. */
  const allAnswered = () => Promise.all(answers);
  const stop = async () => {
    clearInterval(timer);
    await allAnswered();
  };
  return { stop, allAnswered, called: () => answers.length };
}

/** Every process refuses a key from the first call on. */
async function expectRefused(key: string): Promise<void> {
  expect(await Promise.all(apis.map((api) => ask(api, key)))).toEqual(apis.map(() => 401));
}

test('a regeneration with an overlap fails no call; a third key and "end now" refuse the old one at once', async () => {
  const first = merchant.store.apiKey;
  const keys = [first];
  const calls = keepCalling((call) => keys[call % keys.length] ?? '');
  const calledAtLeast = (count: number) => waitUntil(() => calls.called() >= count, WITHIN);
  await calledAtLeast(PER_SECOND);
  const second = await regenerate(24);
  keys.push(second);
  await calledAtLeast(calls.called() + 2 * PER_SECOND);
  // The shop has switched to the new key before a third one is made.
  keys.shift();
  await calls.allAnswered();
  await calledAtLeast(calls.called() + PER_SECOND);
  const third = await regenerate(24);
  await expectRefused(first);
  keys.push(third);
  await calledAtLeast(calls.called() + PER_SECOND);
  keys.shift();
  await calls.allAnswered();
  await calledAtLeast(calls.called() + PER_SECOND);
  expect(await endOld()).toBe(200);
  await expectRefused(second);
  await calledAtLeast(calls.called() + PER_SECOND);
  await calls.stop();
  expect(counts.failed).toBe(0);
  expect(counts.sent).toBeGreaterThan(4 * PER_SECOND);
});

test('a process writes what it has counted before it ends, and every process adds to the same day', async () => {
  const key = await regenerate(0);
  for (const api of apis) for (let call = 0; call < 3; call += 1) expect(await ask(api, key)).toBe(404);
  await Promise.all(apis.map((api) => api.stop()));
  const { rows } = await site.database.pool.query<{ calls: string }>(
    `select sum(d.calls)::text as calls from api_key_days d join api_keys k on k.id = d.key_id
     where k.store_id = $1 and k.hint = $2`,
    [merchant.store.id, key.slice(-4)],
  );
  expect(rows).toEqual([{ calls: '6' }]);
});

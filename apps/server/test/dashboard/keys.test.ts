import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import type { DashboardSite } from '../../rig/people/dashboard-site.ts';
import { openLateSite, sendWaiting } from '../../rig/people/late-mails.ts';
import { joinMerchant, makeMember } from '../../rig/people/make-member.ts';
import type { RigPerson } from '../../rig/people/make-person.ts';
import type { MethodMerchant } from '../../rig/people/method-rig.ts';
import { openMerchant } from '../../rig/people/method-rig.ts';
import { TESTER } from '../../rig/stores/open-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { hashApiKey } from '../../src/stores/api-key.ts';
import { createKeyUses } from '../../src/stores/count-key-uses.ts';
import { createForgetKeyDays } from '../../src/stores/forget-key-days.ts';
import { issueApiKey } from '../../src/stores/issue-api-key.ts';

/** API keys and webhook secrets of a store, in the dashboard. */

let site: DashboardSite;
let owner: RigPerson;
beforeAll(async () => {
  site = await openLateSite(inject('template'));
  owner = (await makeMember(site, 'owner')).person;
});
afterAll(() => site.close());

let merchant: MethodMerchant;
let base: string;

async function renewMerchant(): Promise<void> {
  merchant = await openMerchant(site);
  base = `/accounts/${merchant.account}/stores/${merchant.store.merchantId}`;
  await joinMerchant(site, owner, merchant.store.merchantAccountId, 'owner');
  await site.database.pool.query('delete from attempt_budgets');
}

async function member(role: 'owner' | 'developer'): Promise<RigPerson> {
  const { merchantAccountId } = merchant.store;
  return (await makeMember(site, role, { account: merchant.account, merchantAccountId })).person;
}

const post = (person: RigPerson, path: string, body: unknown = {}) =>
  person.browser.send('POST', `${base}/${path}`, body);

async function shown(person: RigPerson, path: string, body?: unknown): Promise<string> {
  const { status, body: answer } = await post(person, path, body);
  const { api_key: key, webhook_secret: secret } = answer.data ?? {};
  expect({ path, status }).toEqual({ path, status: 200 });
  return String(key ?? secret);
}

type ShownKey = { api_key_hint: string; state: string; ends_at: number | null; last_used_at: number | null };

async function listed(): Promise<(ShownKey & { days: { day: string; calls: number }[] })[]> {
  const { body } = await owner.browser.send('GET', base);
  return body.data?.['api_keys'] as Awaited<ReturnType<typeof listed>>;
}

const states = async () => (await listed()).map(({ api_key_hint: hint, state }) => [hint, state]);

const hintOf = (key: string) => `cf_live_····${key.slice(-4)}`;

async function audited(): Promise<{ action: string; actor: string; details: Record<string, unknown> }[]> {
  const { rows } = await site.database.pool.query<{ action: string; actor: string; details: Record<string, unknown> }>(
    'select action, actor, details from audit_entries where subject = $1 and actor <> $2 order by id',
    [`store:${merchant.store.id}`, 'cli:test'],
  );
  return rows;
}

/** Sets until when a person counts as one who has just proven again who they are. */
async function setStepUp({ code }: RigPerson, until: Date | null): Promise<void> {
  await site.database.pool.query(
    `update sessions s set elevated_until = $2 from people p where p.id = s.person_id and p.code = $1`,
    [code, until],
  );
}

describe('an API key', () => {
  beforeEach(renewMerchant);

  test('is copied by a developer, is in no cache, and stands in the audit by its last characters', async () => {
    const developer = await member('developer');
    const { body, headers } = await post(developer, 'key/reveal');
    expect(body.data).toEqual({ api_key: merchant.store.apiKey });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await audited()).toEqual([
      {
        action: 'api_key.reveal',
        actor: `person:${developer.code}`,
        details: { key: merchant.store.apiKey.slice(-4) },
      },
    ]);
  });

  test('is shown to a person at most twenty times an hour, and so are webhook secrets, together', async () => {
    const statuses: number[] = [];
    for (let shows = 0; shows < 21; shows += 1) {
      const path = shows % 2 === 0 ? 'key/reveal' : 'webhook-secret/reveal';
      statuses.push((await post(owner, path)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
    expect(await audited()).toHaveLength(20);
    expect((await post(await member('owner'), 'key/reveal')).status).toBe(200);
  });

  test('that many ask for at once is shown twenty times too', async () => {
    const asked = Array.from({ length: 30 }, () => post(owner, 'key/reveal'));
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    expect(await audited()).toHaveLength(20);
  });

  test('that is regenerated is shown with the old one, which ends after the overlap; the owners are told', async () => {
    const second = await member('owner');
    await sendWaiting(site, owner.mail);
    await sendWaiting(site, second.mail);
    const fresh = await shown(owner, 'key', { overlap_hours: 24 });
    const keys = await listed();
    expect(keys).toMatchObject([
      { api_key_hint: hintOf(fresh), state: 'current', ends_at: null, last_used_at: null, days: [] },
      { api_key_hint: hintOf(merchant.store.apiKey), state: 'ending', ends_at: expect.any(Number) },
    ]);
    const { rows } = await site.database.pool.query(
      `select floor(extract(epoch from max(k.created_at) + interval '24 hours'))::float8 as ends_at
       from api_keys k join stores s on s.id = k.store_id where s.merchant_id = $1`,
      [merchant.store.merchantId],
    );
    expect(rows).toEqual([{ ends_at: keys[1]?.ends_at }]);
    expect(await shown(owner, 'key/reveal')).toBe(fresh);
    for (const { mail } of [owner, second]) {
      const [told] = await sendWaiting(site, mail);
      expect(told?.subject).toBe('Test store has a new API key');
      expect(told?.text).toContain(fresh.slice(-4));
      expect(told?.text).not.toContain(fresh);
    }
  });

  test('that is the third ends the oldest at once, whoever asks for it', async () => {
    const second = await shown(owner, 'key', { overlap_hours: 168 });
    const context = { database: site.as('admin'), clock: systemClock, ring: merchant.store.ring, jobs: undefined };
    const third = await issueApiKey(context, TESTER, { store: merchant.store.ref, overlapHours: 168 });
    expect(await states()).toEqual([
      [hintOf(third), 'current'],
      [hintOf(second), 'ending'],
      [hintOf(merchant.store.apiKey), 'ended'],
    ]);
    const fourth = await shown(owner, 'key', { overlap_hours: 1 });
    expect((await states()).slice(0, 3)).toEqual([
      [hintOf(fourth), 'current'],
      [hintOf(third), 'ending'],
      [hintOf(second), 'ended'],
    ]);
  });

  test('leaves two live keys, however many are asked for at once', async () => {
    const asked = Array.from({ length: 6 }, () => post(owner, 'key', { overlap_hours: 24 }));
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
    const live = (await listed()).filter(({ state }) => state !== 'ended');
    expect(live.map(({ state }) => state)).toEqual(['current', 'ending']);
  });

  test('that is older is ended now, once', async () => {
    const fresh = await shown(owner, 'key', { overlap_hours: 24 });
    const ended = { ended: [hintOf(merchant.store.apiKey)] };
    expect(await post(owner, 'key/end-old')).toMatchObject({ status: 200, body: { data: ended } });
    expect(await post(owner, 'key/end-old')).toMatchObject({ status: 409, body: { error_code: 'API_KEY_ALONE' } });
    expect(await listed()).toMatchObject([{ api_key_hint: hintOf(fresh), state: 'current' }, { state: 'ended' }]);
    expect((await audited()).map(({ action }) => action)).toEqual(['api_key.regenerate', 'api_key.end']);
  });

  test('is not regenerated while the merchant is locked; the old one can still be ended', async () => {
    await shown(owner, 'key', { overlap_hours: 24 });
    await owner.browser.send('POST', `/accounts/${merchant.account}/lock`, {});
    expect(await post(owner, 'key', { overlap_hours: 0 })).toMatchObject({
      status: 409,
      body: { error_code: 'METHODS_LOCKED' },
    });
    expect((await post(owner, 'key/end-old')).status).toBe(200);
  });
});

describe('what is asked about keys', () => {
  beforeAll(renewMerchant);

  test.each(['key/reveal', 'key', 'key/end-old', 'webhook-secret/reveal', 'webhook-secret', 'activity'])(
    'by POST %s needs a step-up, and changes nothing without one',
    async (path) => {
      await setStepUp(owner, null);
      const bodies: Record<string, unknown> = { activity: { active: false } };
      const renewal = path === 'key' || path === 'webhook-secret' ? { overlap_hours: 0 } : {};
      expect(await post(owner, path, bodies[path] ?? renewal)).toMatchObject({
        status: 403,
        body: { error_code: 'STEP_UP_NEEDED' },
      });
      expect(await audited()).toEqual([]);
      await setStepUp(owner, new Date(systemClock.nowMs() + 600_000));
    },
  );

  test.each([2, -1, 24.5, '24', null, 169])('with an overlap of %s is refused', async (overlap) => {
    expect(await post(owner, 'key', { overlap_hours: overlap })).toMatchObject({
      status: 400,
      body: { error_code: 'VALIDATION_ERROR' },
    });
  });
});

const uses = (nowMs: number) => createKeyUses(site.as('api').pool, { nowMs: () => nowMs });
const count = async (nowMs: number, times: number) => {
  const counted = uses(nowMs);
  for (let time = 0; time < times; time += 1) counted.count(hashApiKey(merchant.store.apiKey));
  await counted.write();
  await counted.write();
};

describe('the uses of a key', () => {
  beforeEach(renewMerchant);

  test('are added by day in UTC, by any number of processes, each once', async () => {
    const today = Date.UTC(2026, 10, 17, 0, 0, 1);
    await count(today - 2_000, 3);
    await Promise.all([count(today, 5), count(today + 3_600_000, 7)]);
    expect(await listed()).toMatchObject([
      {
        last_used_at: (today + 3_600_000) / 1_000,
        days: [
          { day: '2026-11-17', calls: 12 },
          { day: '2026-11-16', calls: 3 },
        ],
      },
    ]);
  });

  test('of a key that nobody has are not kept', async () => {
    const counted = uses(systemClock.nowMs());
    counted.count(hashApiKey('nobody'));
    await counted.write();
    expect(await listed()).toMatchObject([{ last_used_at: null, days: [] }]);
  });

  test('are forgotten after 90 days', async () => {
    const nowMs = systemClock.nowMs();
    await count(nowMs - 91 * 86_400_000, 1);
    await count(nowMs - 89 * 86_400_000, 2);
    await createForgetKeyDays(site.as('api').pool, systemClock)();
    expect((await listed())[0]?.days.map(({ calls }) => calls)).toEqual([2]);
  });
});

describe('a webhook secret', () => {
  beforeEach(renewMerchant);

  test('is copied, and stands in the audit', async () => {
    expect(await shown(owner, 'webhook-secret/reveal')).toBe(merchant.store.webhookSecret);
    expect(await audited()).toMatchObject([{ action: 'webhook_secret.reveal', actor: `person:${owner.code}` }]);
  });

  test('that is new signs beside the old one; a third ends the oldest; the owners are told', async () => {
    await sendWaiting(site, owner.mail);
    await shown(owner, 'webhook-secret', { overlap_hours: 24 });
    const third = await shown(owner, 'webhook-secret', { overlap_hours: 24 });
    expect(await shown(owner, 'webhook-secret/reveal')).toBe(third);
    const { body } = await owner.browser.send('GET', base);
    expect(body.data?.['webhook_secrets']).toMatchObject([
      { state: 'current', ends_at: null },
      { state: 'ending' },
      { state: 'ended' },
    ]);
    const told = (await sendWaiting(site, owner.mail)).map(({ subject }) => subject);
    expect(told).toEqual(Array.from({ length: 2 }, () => 'Test store has a new webhook secret'));
  });
});

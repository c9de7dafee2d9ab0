import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sendRaw } from '../../rig/requests/transport.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Headers, Target } from './attack-client.ts';
import { create, openTarget, post, send } from './attack-client.ts';

/** The socket's address is always 127.0.0.1; the bucket of a call without key shows which address the server uses. */

const ATTACKER = '6.6.6.6';
const VICTIM = '203.0.113.9';
/** Calls that one address may make in a second to the route that creates invoices. */
const CREATES_PER_SECOND = 5;

async function bucketOf(target: Target, headers: Headers): Promise<string | undefined> {
  await target.database.pool.query('truncate admissions');
  await send(target.transport, { path: '/invoice/TID-AAAAAAAAAAAAAAAA', headers });
  const { rows } = await target.database.pool.query<{ bucket: string }>('select bucket from admissions');
  expect(rows).toHaveLength(1);
  return rows[0]?.bucket;
}

const forwardedFor = (list: string): Headers => [['x-forwarded-for', list]];

describe('a spoofed address, without trusted proxies', () => {
  let target: Target;
  beforeAll(async () => {
    target = await openTarget();
  });
  afterAll(() => target.close());

  test.each<[string, Headers]>([
    ['X-Forwarded-For', forwardedFor(ATTACKER)],
    ['X-Forwarded-For with a list', forwardedFor(`${ATTACKER}, ${VICTIM}`)],
    ['X-Forwarded-For twice', [...forwardedFor(ATTACKER), ...forwardedFor(VICTIM)]],
    ['X-Forwarded-For with 127.0.0.1', forwardedFor(`${ATTACKER}, 127.0.0.1`)],
    ['Forwarded', [['forwarded', `for=${ATTACKER}`]]],
    ['X-Real-IP', [['x-real-ip', ATTACKER]]],
    ['CF-Connecting-IP', [['cf-connecting-ip', ATTACKER]]],
    ['True-Client-IP', [['true-client-ip', ATTACKER]]],
  ])('%s is not believed: the socket counts', async (_name, headers) => {
    expect(await bucketOf(target, headers)).toBe('a127.0.0.1');
  });

  test('a new address in every call does not escape the limit', async () => {
    await target.database.pool.query('truncate admissions');
    const callFrom = (address: string) =>
      send(target.transport, { method: 'POST', path: '/payment/crypto', headers: forwardedFor(address) });
    await callFrom(ATTACKER);
    // The window stays open until all calls were made, because its start lies in the future.
    await target.database.pool.query(
      `update admissions set burst_started_at = now() + interval '1 hour', burst_used = 1`,
    );
    const replies = await Promise.all(Array.from({ length: 30 }, (_, turn) => callFrom(`6.6.6.${turn}`)));
    expect(replies.filter(({ status }) => status !== 429)).toHaveLength(CREATES_PER_SECOND - 1);
    const { rows } = await target.database.pool.query('select bucket from admissions');
    expect(rows).toEqual([{ bucket: 'a127.0.0.1' }]);
  });
});

describe('a spoofed address, behind trusted proxies', () => {
  let target: Target;
  let store: TestStore;
  beforeAll(async () => {
    target = await openTarget({ COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.0/8, 10.0.0.0/8' });
    store = await openStore(target.database);
  });
  afterAll(() => target.close());

  test.each([
    ['one address is the caller', VICTIM, `a${VICTIM}`],
    ['the leftmost of a list is not believed', `${ATTACKER}, ${VICTIM}`, `a${VICTIM}`],
    ['a private leftmost is not believed', `10.0.0.1, ${VICTIM}`, `a${VICTIM}`],
    ['trusted hops on the right are passed over', `${ATTACKER}, ${VICTIM}, 10.1.2.3`, `a${VICTIM}`],
    ['trusted hops on the left of a stranger are not', `${ATTACKER}, 10.1.2.3, ${VICTIM}`, `a${VICTIM}`],
    ['a long list of inventions changes nothing', `${`${ATTACKER}, `.repeat(200)}${VICTIM}`, `a${VICTIM}`],
    ['an IPv6 address counts by its /64', `${ATTACKER}, 2001:db8:1:2:3:4:5:6`, 'a2001:db8:1:2::/64'],
    ['an IPv4 address written as IPv6 is the IPv4 address', `::ffff:${VICTIM}`, `a${VICTIM}`],
    ['what is no address is one bucket for all', `${ATTACKER}, nonsense`, 'aunknown'],
    ['another writing of an address is no new bucket', `${ATTACKER}, 2001:DB8:1:2::ffff`, 'a2001:db8:1:2::/64'],
    ['an empty header leaves the socket', '', 'a127.0.0.1'],
  ])('%s', async (_rule, list, bucket) => {
    expect(await bucketOf(target, forwardedFor(list))).toBe(bucket);
  });

  test.each<[string, Headers]>([
    ['Forwarded', [['forwarded', `for=${ATTACKER}`]]],
    ['X-Real-IP', [['x-real-ip', ATTACKER]]],
  ])('%s is still not read', async (_name, headers) => {
    expect(await bucketOf(target, [...headers, ...forwardedFor(VICTIM)])).toBe(`a${VICTIM}`);
  });

  test.each<[string, Headers]>([
    ['Host', [['host', 'evil.example']]],
    ['X-Forwarded-Host', [['x-forwarded-host', 'evil.example']]],
    ['a list of hosts', [['x-forwarded-host', 'evil.example, other.example']]],
    ['Forwarded', [['forwarded', 'host=evil.example;proto=http']]],
    [
      'X-Forwarded-Proto and -Port',
      [
        ['x-forwarded-proto', 'evil'],
        ['x-forwarded-port', '666'],
      ],
    ],
    [
      'X-Original-URL',
      [
        ['x-original-url', '/evil.example'],
        ['x-rewrite-url', '/evil.example'],
      ],
    ],
  ])('%s does not reach url_payment: it is made from the configuration alone', async (_name, headers) => {
    const body = JSON.stringify({ merchant_id: store.merchantId, amount: 5 });
    const reply = await post(target.transport, store, body, [['content-type', 'application/json'], ...headers]);
    expect(reply.json.data?.['url_payment']).toBe(`https://checkout.example/bill/${reply.json.data?.trans_id}`);
    expect(`${reply.body}${[...reply.headers].join('\n')}`).not.toMatch(/evil|666/);
  });

  test('an absolute address in the request line does not reach url_payment either', async () => {
    const { hostname, port } = new URL(target.server.url);
    const body = JSON.stringify({ merchant_id: store.merchantId, amount: 5 });
    const head = `POST http://evil.example/payment/crypto HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n`;
    const rest = `x-api-key: ${store.apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const outcome = await sendRaw(hostname, Number(port), Buffer.from(head + rest + body), { patient: true });
    expect(outcome).toHaveProperty('answer');
    expect(JSON.stringify(outcome)).not.toContain('evil');
  });
});

describe('a spoofed address, with a list of proxies that the caller is not on', () => {
  let target: Target;
  beforeAll(async () => {
    target = await openTarget({ COUNTERFOIL_TRUSTED_PROXIES: '10.0.0.0/8' });
  });
  afterAll(() => target.close());
  beforeEach(async () => {
    await target.database.pool.query('truncate admissions');
  });

  test.each([ATTACKER, `${ATTACKER}, 10.0.0.1`, '10.0.0.1'])('X-Forwarded-For: %s is not believed', async (list) => {
    expect(await bucketOf(target, forwardedFor(list))).toBe('a127.0.0.1');
  });

  test('a key counts by its store, whatever the address', async () => {
    const store = await openStore(target.database);
    await create(target.transport, store);
    const { rows } = await target.database.pool.query('select bucket from admissions');
    expect(rows).toEqual([{ bucket: `s${store.id}` }]);
  });
});

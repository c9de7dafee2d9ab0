import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { once } from 'node:events';
import http from 'node:http';
import type { Target } from './attack-client.ts';
import { openTarget } from './attack-client.ts';

/**
 * Documents that the public port serves to anybody: the payment page shares their origin, so none may hold code of
 * others.
 */

type Received = { status: number; headers: http.IncomingHttpHeaders; bytes: Buffer };

async function get(target: Target, path: string, headers: Record<string, string> = {}): Promise<Received> {
  const request = http.get(`${target.server.url}${path}`, { headers });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const bytes = Buffer.concat(await response.toArray());
  return { status: response.statusCode ?? 0, headers: response.headers, bytes };
}

const BEHIND_PROXY = { 'x-forwarded-proto': 'https' };

describe('in production', () => {
  let target: Target;
  beforeAll(async () => {
    target = await openTarget({ COUNTERFOIL_ENVIRONMENT: 'production', COUNTERFOIL_TRUSTED_PROXIES: '127.0.0.1' });
  });
  afterAll(() => target.close());

  test.each(['/docs', '/docs/', '/docs/js/scalar.js', '/docs/openapi.json', '/reference.html'])(
    'there is no %s: it answers like every other unknown path',
    async (path) => {
      const { status, headers, bytes } = await get(target, path, BEHIND_PROXY);
      expect([status, headers['content-type']]).toEqual([404, 'application/json; charset=utf-8']);
      expect(JSON.parse(bytes.toString())).toMatchObject({ error_code: 'NOT_FOUND' });
    },
  );
});

describe('the OpenAPI document', () => {
  let target: Target;
  beforeAll(async () => {
    target = await openTarget();
  });
  afterAll(() => target.close());

  test('is compressed ahead, kept by caches and asked about by its tag', async () => {
    const plain = await get(target, '/openapi.json');
    const gzip = await get(target, '/openapi.json', { 'accept-encoding': 'gzip' });
    const brotli = await get(target, '/openapi.json', { 'accept-encoding': 'gzip, br' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.headers).toMatchObject({ 'cache-control': 'public, max-age=3600', vary: 'accept-encoding' });
    expect([gzip.headers['content-encoding'], brotli.headers['content-encoding']]).toEqual(['gzip', 'br']);
    expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
    expect(brotliDecompressSync(brotli.bytes)).toEqual(plain.bytes);
    const again = await get(target, '/openapi.json', { 'if-none-match': plain.headers.etag ?? '' });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
  });

  test('is counted by address, like everything that needs no key', async () => {
    await target.database.pool.query('truncate admissions');
    const asked = await Promise.all(Array.from({ length: 60 }, () => get(target, '/openapi.json')));
    const refused = asked.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(1);
    for (const { headers, bytes } of refused) {
      expect(headers['retry-after']).toBe('1');
      expect(JSON.parse(bytes.toString())).toMatchObject({ error_code: 'RATE_LIMIT_EXCEEDED', limit_type: 'burst' });
    }
  });

  test('the reference of development has no script and cannot be framed', async () => {
    const { status, headers, bytes } = await get(target, '/docs');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors 'none'/);
    expect(bytes.toString()).not.toMatch(/<script|src=|https?:\/\/(?!api\.example)/);
    for (const path of ['/payment/crypto', '/invoice/{trans_id}']) expect(bytes.toString()).toContain(path);
  });
});

import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { encodeDocument } from '../lib/content-encoding.ts';
import { registerAppRoutes } from './app-routes.ts';

const document = encodeDocument('text/html; charset=utf-8', '<!doctype html>');
const assets = new Map([['index-1.js', encodeDocument('text/javascript; charset=utf-8', 'export {}')]]);

function serve(isBuilt: boolean) {
  const app = fastify();
  registerAppRoutes(app, isBuilt ? { document, assets } : { document: undefined, assets: new Map() });
  return app;
}

test.each(['/', '/sign-in', '/m/ACC-1/stores', '/lock/token'])(
  'the address %s of a page is answered with the document, which is asked for anew and runs nothing inline',
  async (url) => {
    const { statusCode, headers, body } = await serve(true).inject({ url });
    expect({ statusCode, body }).toEqual({ statusCode: 200, body: '<!doctype html>' });
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(headers['content-security-policy']).not.toContain('unsafe');
  },
);

test.each(['/api/dashboard/nowhere', '/elsewhere', '/assets/gone.js', '/assets/..%2findex.html'])(
  'the address %s is no page',
  async (url) => {
    expect((await serve(true).inject({ url })).statusCode).not.toBe(200);
  },
);

test('a file is kept by browsers for ever and sent compressed to those who take it', async () => {
  const { headers } = await serve(true).inject({ url: '/assets/index-1.js', headers: { 'accept-encoding': 'br' } });
  expect(headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
    vary: 'accept-encoding',
  });
});

test('without a build the pages say so', async () => {
  const { statusCode, body } = await serve(false).inject({ url: '/sign-in' });
  expect(statusCode).toBe(503);
  expect(body).toContain('pnpm build');
});

import { TESTER } from '../../rig/stores/open-store.ts';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { CheckoutView } from '@counterfoil/checkout/checkout-view';
import { readPageAssets } from '../../src/checkout/page-assets.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { setBrand } from '../../src/stores/set-brand.ts';
import type { ApiSite } from '../../rig/site/api-site.ts';
import { setPrices } from '../../rig/site/market.ts';
import { ask, newInvoice, openApiSite, openStream, postForm, postJson, stateOf } from '../../rig/site/api-site.ts';

const WITHIN = { timeout: 60_000, interval: 20 };
const USDT = { network: 'BSC', token: 'USDT' };

let rig: ApiSite;
beforeAll(async () => {
  rig = await openApiSite(inject('template'));
});
afterAll(() => rig.close());

describe('the page', () => {
  test('a new invoice offers its methods in the first HTML', async () => {
    const transId = await newInvoice(rig, { name: 'Two coffees' });
    const response = await ask(rig, `/bill/${transId}`);
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const text of ['Two coffees', 'Test store', '50.00', 'BEP20', 'USDT']) expect(html).toContain(text);
  });

  test('a chosen invoice shows amount, address and network in the first HTML', async () => {
    const transId = await newInvoice(rig);
    await setPrices(rig.database);
    const { view } = (await (await postJson(rig, `/bill/${transId}/select`, USDT)).json()) as { view: CheckoutView };
    const html = await (await ask(rig, `/bill/${transId}`)).text();
    expect(view).toMatchObject({ step: 'pay', quote: { token: 'USDT', network: 'BSC', standard: 'BEP20' } });
    expect(html).toContain(view.quote?.amount);
    expect(html.replaceAll(/<[^>]*>|\s/g, '')).toContain(view.quote?.address);
    expect(html).toContain('viewBox');
  });

  test.each(['/bill/TID-AAAAAAAAAAAAAAAA', '/bill/nothing', '/bill/TID-aaaaaaaaaaaaaaaa', '/bill/%00'])(
    '%s is not found',
    async (path) => {
      expect((await ask(rig, path)).status).toBe(404);
    },
  );
});

describe('choosing', () => {
  test('a form is sent back to the page, which shows the quote; choose=1 offers the methods again', async () => {
    const transId = await newInvoice(rig);
    await setPrices(rig.database);
    const response = await postForm(rig, `/bill/${transId}/select`, USDT);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(`/bill/${transId}?network=BSC&token=USDT`);
    expect((await stateOf(rig, transId)).step).toBe('pay');
    const again = await (await ask(rig, `/bill/${transId}?choose=1`)).text();
    expect(again).toContain('USDC');
  });

  test('a refused form comes back with the code of its refusal and its language', async () => {
    const transId = await newInvoice(rig);
    const response = await postForm(rig, `/bill/${transId}/select`, { network: 'BSC', token: 'DOGE', lang: 'es' });
    expect(response.headers.get('location')).toBe(`/bill/${transId}?lang=es&refusal=not-offered`);
    const refused = await postJson(rig, `/bill/${transId}/select`, { network: 'ETH', token: 'ETH' });
    expect([refused.status, await refused.json()]).toEqual([
      409,
      { refusal: 'not-offered', said: 'The shop does not offer this way to pay.' },
    ]);
  });
});

describe('the state', () => {
  test('is answered with a tag, and with 304 to a client that has it', async () => {
    const transId = await newInvoice(rig);
    const first = await ask(rig, `/bill/${transId}/state`);
    const tag = first.headers.get('etag') ?? '';
    const second = await ask(rig, `/bill/${transId}/state`, { headers: { 'if-none-match': tag } });
    expect([second.status, await second.text()]).toEqual([304, '']);
  });
});

describe('the brand of a store', () => {
  const PICTURE = Buffer.from('89504e470d0a1a0a0000000d49484452000000400000004008020000000000000000000000', 'hex');

  test('name, colour and picture are on its page; the picture is kept for ever and cannot run', async () => {
    const { logoHash } = await setBrand({ database: rig.database, clock: systemClock, jobs: undefined }, TESTER, {
      store: rig.store.ref,
      displayName: 'The Look',
      accent: '#0a7d33',
      logo: PICTURE,
    });
    const { store } = await stateOf(rig, await newInvoice(rig));
    expect(store).toEqual({
      name: 'The Look',
      logoPath: `/bill/logo/${logoHash}.png`,
      accent: '#0a7d33',
      onAccent: '#ffffff',
    });
    const picture = await ask(rig, store.logoPath ?? '');
    expect(Buffer.from(await picture.arrayBuffer())).toEqual(PICTURE);
    expect(Object.fromEntries(picture.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
    });
  });

  test.each(['0'.repeat(64), 'x', `${'0'.repeat(64)}.svg`, `${'0'.repeat(64)}.png`, '..%2f..%2fetc%2fpasswd'])(
    'there is no logo %s',
    async (file) => {
      expect((await ask(rig, `/bill/logo/${file}`)).status).toBe(404);
    },
  );
});

describe('assets', () => {
  test('built files are served under their names for ever, compressed where the browser accepts it', async () => {
    const { files } = readPageAssets();
    for (const [name, asset] of files) {
      const response = await ask(rig, `/assets/checkout/${name}`, { headers: { 'accept-encoding': 'br, gzip' } });
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': asset.type,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
        ...(asset.br && { 'content-encoding': 'br' }),
      });
      expect(Buffer.from(await response.arrayBuffer())).toEqual(asset.plain);
    }
  });

  test.each(['nothing.js', '..%2f.vite%2fmanifest.json', '%2e%2e%2fpackage.json'])('%s is not served', async (name) => {
    expect((await ask(rig, `/assets/checkout/${name}`)).status).toBe(404);
  });
});

describe('the stream', () => {
  test('begins with the whole view and, where the address names nothing, shows each selection', async () => {
    const transId = await newInvoice(rig);
    const stream = await openStream(rig, transId);
    expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    await expect.poll(() => stream.views().map(({ step }) => step), WITHIN).toEqual(['choose']);
    await setPrices(rig.database);
    await postJson(rig, `/bill/${transId}/select`, USDT);
    await expect.poll(() => stream.views().map(({ step }) => step), WITHIN).toEqual(['choose', 'pay']);
    stream.close();
  });
});

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { openStore } from '../../rig/stores/open-store.ts';
import { readHtml, structureOf } from './html.ts';
import type { ApiSite } from '../../rig/site/api-site.ts';
import { setPrices } from '../../rig/site/market.ts';
import { ask, newInvoice, openApiSite, openStream, postForm, postJson, stateOf } from '../../rig/site/api-site.ts';

/** Attacks on the page: putting something into it, taking something out of it, or using it against its customers. */

const USDT = { network: 'BSC', token: 'USDT' };

const HOSTILE_TEXT = [
  '<script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '<svg/onload=alert(1)>',
  '</title></head><body onload=alert(1)>',
  '<!--<script>',
  ']]><x>',
  '${alert(1)}{{constructor.constructor("alert(1)")()}}',
  '&lt;script&gt;&#x3c;img&#62;',
  '</textarea></style><iframe srcdoc=x>',
  'javascript:alert(1)',
  '\u2028\u2029</ScRiPt >',
  '\u202Egnp.exe\u200F',
  '%3Cscript%3E',
];

let rig: ApiSite;
beforeAll(async () => {
  rig = await openApiSite(inject('template'));
});
afterAll(() => rig.close());

async function pageOf(transId: string, query = ''): Promise<string> {
  const response = await ask(rig, `/bill/${transId}${query}`);
  expect(response.status).toBe(200);
  return response.text();
}

const structure = async (transId: string, query = '') => structureOf(readHtml(await pageOf(transId, query)));

/** State that the page's script reads. */
function stateIn(html: string): { view: Record<string, unknown> } {
  const state = readHtml(html).find(({ attributes }) =>
    attributes.some(([name, value]) => name === 'id' && value === 'state'),
  );
  expect(state?.text).not.toContain('<');
  return JSON.parse(state?.text ?? '') as { view: Record<string, unknown> };
}

describe('text of strangers stays text', () => {
  test.each(HOSTILE_TEXT)('in the name, the description and the store: %j', async (text) => {
    const benign = await newInvoice(rig, { name: 'a', description: 'b' });
    const hostile = await newInvoice(rig, { name: text, description: text });
    await rig.database.pool.query(
      `insert into brands (store_id, display_name) values ($1, 'c') on conflict (store_id) do update set display_name = 'c'`,
      [rig.store.id],
    );
    const expected = await structure(benign);
    await rig.database.pool.query('update brands set display_name = $2 where store_id = $1', [rig.store.id, text]);
    const html = await pageOf(hostile);
    expect(structureOf(readHtml(html))).toEqual(expected);
    expect(stateIn(html).view).toMatchObject({ name: text, description: text, store: { name: text } });
  });

  test.each(HOSTILE_TEXT)('in the query: %j', async (text) => {
    const transId = await newInvoice(rig);
    const plain = await structure(transId);
    for (const name of ['lang', 'refusal', 'choose', 'network', 'token', 'completed_url', 'x'])
      expect(await structure(transId, `?${new URLSearchParams({ [name]: text }).toString()}`)).toEqual(plain);
    const both = new URLSearchParams({ network: text, token: text }).toString();
    expect(await structure(transId, `?${both}`)).toEqual(plain);
  });

  test.each(HOSTILE_TEXT)('in a transaction that was pasted: %j', async (text) => {
    const transId = await newInvoice(rig);
    await setPrices(rig.database);
    await postJson(rig, `/bill/${transId}/select`, USDT);
    const plain = await (await postForm(rig, `/bill/${transId}/check`, { tx: 'nothing' })).text();
    const response = await postForm(rig, `/bill/${transId}/check`, { tx: text });
    expect(response.status).toBe(200);
    expect(structureOf(readHtml(await response.text()))).toEqual(structureOf(readHtml(plain)));
  });

  test.each(HOSTILE_TEXT)('in the code of an invoice: %j', async (text) => {
    const response = await ask(rig, `/bill/${encodeURIComponent(text)}`);
    const known = await (await ask(rig, '/bill/nothing')).text();
    expect([response.status, await response.text()]).toEqual([404, known]);
  });

  test('the page has no script but its own, no handler and no style in an attribute', async () => {
    const transId = await newInvoice(rig, { name: HOSTILE_TEXT.slice(0, 7).join(' ') });
    const elements = readHtml(await pageOf(transId));
    const named = (wanted: (name: string) => boolean) =>
      elements.flatMap(({ attributes }) => attributes.filter(([name]) => wanted(name)).map(([, value]) => value));
    expect(named((name) => name === 'style' || name.startsWith('on'))).toEqual([]);
    const scripts = elements.filter(({ name }) => name === 'script').map(({ attributes }) => new Map(attributes));
    const run = scripts.filter((script) => script.get('type') !== 'application/json');
    for (const script of run) expect(script.get('src')).toMatch(/^\/assets\/checkout\//);
    for (const target of named((name) => ['href', 'src', 'action'].includes(name)))
      expect(target).toMatch(/^(\/(?!\/)|https:\/\/|ethereum:|data:,$|#)/);
  });
});

const setUrls = (transId: string, url: string) =>
  rig.database.pool.query(
    `update invoices set status = 'completed', transaction_hash = 'x', from_address = 'y', completed_url = $2, expired_url = $2
     where trans_id = $1`,
    [transId, url],
  );

describe('the way back', () => {
  test.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    '//evil.example',
    '/\\evil.example',
    'https:\\\\evil.example',
    'ftp://evil.example',
  ])('is never %j, even when it stands in the database', async (url) => {
    const transId = await newInvoice(rig);
    await setUrls(transId, url);
    const html = await pageOf(transId);
    const links = readHtml(html).flatMap(({ attributes }) => attributes.filter(([name]) => name === 'href'));
    expect(links.map(([, value]) => value)).not.toContain(url);
    expect((await stateOf(rig, transId)).returnUrl).toBeNull();
  });

  test('is what the shop gave, and no query can change it', async () => {
    const transId = await newInvoice(rig);
    await setUrls(transId, 'https://shop.example/thanks?order=1&x="y"');
    const html = await pageOf(transId, '?completed_url=https://evil.example&returnUrl=https://evil.example');
    expect(html).not.toContain('evil.example');
    expect((await stateOf(rig, transId)).returnUrl).toBe('https://shop.example/thanks?order=1&x="y"');
  });

  test.each([{ host: 'evil.example' }, { 'x-forwarded-host': 'evil.example' }, { referer: 'https://evil.example/' }])(
    'a choice is sent back to our own path, whatever the headers say: %j',
    async (headers) => {
      const transId = await newInvoice(rig);
      const response = await postForm(rig, `/bill/${transId}/select`, { ...USDT, lang: '//evil.example' }, headers);
      expect(response.headers.get('location')).toMatch(
        new RegExp(`^/bill/${transId}\\?(refusal=[a-z-]+|network=BSC&token=USDT)$`),
      );
    },
  );
});

describe('what a browser is told', () => {
  const HEADERS = {
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex, nofollow',
    'cross-origin-opener-policy': 'same-origin',
  };

  test.each(['', '/state'])('the page%s cannot be framed, sniffed, indexed or kept', async (path) => {
    const response = await ask(rig, `/bill/${await newInvoice(rig)}${path}`);
    expect(Object.fromEntries(response.headers)).toMatchObject(HEADERS);
    expect(response.headers.get('cache-control')).toMatch(/no-store|no-cache/);
    expect(response.headers.get('permissions-policy')).toContain('camera=()');
  });

  test.each(['/bill/nothing', '/bill/page'])(
    'the policy of %s allows our own script and hashed styles, and nothing else',
    async (path) => {
      const target = path === '/bill/page' ? `/bill/${await newInvoice(rig)}` : path;
      const response = await ask(rig, target);
      const policy = response.headers.get('content-security-policy') ?? '';
      const inline = readHtml(await response.text()).filter(({ name }) => name === 'style');
      expect(policy).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self'( 'sha256-[\w+/=]{44}')*; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
      );
      for (const { text } of inline) {
        const hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(text))).toString('base64');
        expect(policy).toContain(`'sha256-${hash}'`);
      }
    },
  );

  test('streams carry the same headers', async () => {
    const stream = await openStream(rig, await newInvoice(rig));
    expect(stream.headers).toMatchObject(HEADERS);
    stream.close();
  });
});

describe('other sites', () => {
  test.each<[string, Record<string, string>, boolean]>([
    ['from our own page', { 'sec-fetch-site': 'same-origin' }, true],
    ['typed by the customer', { 'sec-fetch-site': 'none' }, true],
    ['by no browser', {}, true],
    ['from our origin, by an old browser', { origin: 'https://checkout.example' }, true],
    ['from another site', { 'sec-fetch-site': 'cross-site' }, false],
    ['from a sibling of our host', { 'sec-fetch-site': 'same-site' }, false],
    [
      'from another site, with our origin pretended',
      { 'sec-fetch-site': 'cross-site', origin: 'https://checkout.example' },
      false,
    ],
    ['from another origin, by an old browser', { origin: 'https://evil.example' }, false],
    ['from a sandboxed frame, by an old browser', { origin: 'null' }, false],
  ])('a choice and a check %s', async (_name, headers, taken) => {
    const transId = await newInvoice(rig);
    await setPrices(rig.database);
    const selected = await postForm(rig, `/bill/${transId}/select`, USDT, headers);
    const checked = await postForm(rig, `/bill/${transId}/check`, { tx: 'x' }, headers);
    expect([selected.status, checked.status]).toEqual(taken ? [303, 200] : [403, 403]);
    expect((await stateOf(rig, transId)).step).toBe(taken ? 'pay' : 'choose');
  });
});

describe('enumeration', () => {
  test('a code that never was and one that is malformed are answered byte for byte alike', async () => {
    for (const path of ['', '/state', '/events']) {
      const answers = await Promise.all(
        ['TID-AAAAAAAAAAAAAAAA', 'TID-AAAAAAAAAAAAAAA', 'x', "'or 1=1--"].map(async (code) => {
          const response = await ask(rig, `/bill/${encodeURIComponent(code)}${path}`);
          const headers = [...response.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
          return { status: response.status, headers, text: await response.text() };
        }),
      );
      for (const answer of answers) expect(answer).toEqual(answers[0]);
    }
  });
});

test('a customer sees nothing of the merchant but what a payer needs', async () => {
  const transId = await newInvoice(rig, {
    request_id: 'order-secret-1',
    callback_url: 'https://shop.example/secret-callback',
  });
  const all = (await pageOf(transId)) + JSON.stringify(await stateOf(rig, transId));
  for (const secret of ['order-secret-1', 'secret-callback', rig.store.merchantId, rig.store.apiKey])
    expect(all).not.toContain(secret);
});

const withoutTime = (view: object) => ({ ...view, nowMs: 0 });

test('a page, its state and its stream reveal nothing of what others do: no number in them counts anything', async () => {
  const other = await openStore(rig.database);
  const transId = await newInvoice(rig);
  const stream = await openStream(rig, transId);
  const seen = async () => [
    withoutTime(await stateOf(rig, transId)),
    withoutTime(stateIn(await pageOf(transId)).view),
    ...stream.views().map(withoutTime),
  ];
  const before = await seen();
  for (let round = 0; round < 5; round += 1) await newInvoice(rig, {}, other);
  expect(await seen()).toEqual(before);
  for (const view of before) expect(Object.keys(view)).not.toContain('version');
  stream.close();
});

test('another store’s methods, quotes and brand never appear', async () => {
  const other = await openStore(rig.database, { wallet: false });
  await rig.database.pool.query(`insert into brands (store_id, display_name) values ($1, 'Other look')`, [other.id]);
  const transId = await newInvoice(rig);
  expect(JSON.stringify(await stateOf(rig, transId))).not.toContain('Other look');
});

import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_DEPTH } from '../../src/lib/exact-json.ts';
import { MAX_BODY_BYTES } from '../../src/api/request-body.ts';
import type { TestStore } from '../../rig/stores/open-store.ts';
import { openStore } from '../../rig/stores/open-store.ts';
import type { Target } from './attack-client.ts';
import { create, lookup, openTarget, post, refusedFields, send, transIdOf } from './attack-client.ts';

let target: Target;
let store: TestStore;

beforeAll(async () => {
  target = await openTarget();
  store = await openStore(target.database);
});
afterAll(() => target.close());

const valid = () => `"merchant_id":"${store.merchantId}","amount":5`;
const padded = (bytes: number) => {
  const start = `{${valid()},"pad":"`;
  return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
};
const TEXT_FIELDS = ['name', 'description', 'request_id', 'callback_url', 'completed_url', 'expired_url'];
const inField = (field: string, text: string) =>
  field.endsWith('_url') ? `https://shop.example/${text}` : `before ${text} after`;

describe('text tricks', () => {
  const unstorable: [string, string][] = [
    ['U+0000', '\u0000'],
    ['a high surrogate alone', '\ud800'],
    ['a low surrogate alone', '\udc00'],
    ['surrogates the wrong way round', '\udc00\ud800'],
  ];
  test.each(unstorable)('%s is refused by name in every text field, never by the database', async (_name, text) => {
    for (const field of TEXT_FIELDS) {
      const reply = await create(target.transport, store, { [field]: inField(field, text) });
      expect([reply.status, new Set(refusedFields(reply))]).toEqual([400, new Set([field])]);
      expect(reply.json.request_id).toBeUndefined();
    }
  });

  test.each([
    ['bidirectional controls', '\u202egnp.exe\u202c\u2066x\u2069'],
    ['zero width characters', 'a\u200b\u200d\ufeffb'],
    ['control characters', '\u0001\u001b[31m\u007f\u0085'],
    ['line breaks of every kind', 'a\r\nb\u2028c\u2029d'],
    ['the replacement character', '\ufffd'],
    ['a noncharacter', '\uffff\u{10ffff}'],
    ['combining marks in heaps', `a${'\u0301'.repeat(200)}`],
    ['emoji beyond the basic plane', '😀👩‍👩‍👧‍👦🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['markup', '<script>alert(1)</script>"\'`&amp;'],
    ['templates', '${7*7} {{7*7}} #{7*7} %s %n'],
  ])('%s come back exactly as they were sent', async (_name, text) => {
    const fields = { name: text, description: text, request_id: `${text}!` };
    const reply = await create(target.transport, store, fields);
    expect(reply.json.data?.['request_id']).toBe(fields.request_id);
    expect((await lookup(target.transport, store, transIdOf(reply))).json.data).toMatchObject(fields);
  });

  test('request_ids that only look alike are different orders: they are compared byte for byte', async () => {
    const alike = ['é', 'e\u0301', 'É', 'é ', '\u200bé', 'ｅ', 'e'].map((text) => `alike-${text}`);
    const codes = [];
    for (const requestId of alike)
      codes.push(transIdOf(await create(target.transport, store, { request_id: requestId })));
    expect(new Set(codes).size).toBe(alike.length);
  });

  test.each([
    ['name', 255],
    ['description', 1000],
    ['request_id', 255],
  ])('%s holds %d characters of four bytes each and not one more', async (field, characters) => {
    expect((await create(target.transport, store, { [field]: '😀'.repeat(characters) })).status).toBe(200);
    const over = await create(target.transport, store, { [field]: '😀'.repeat(characters + 1) });
    expect(refusedFields(over)).toEqual([field]);
  });
});

describe('prototype pollution', () => {
  test.each([
    ['own fields below __proto__', (fields: string) => `{"__proto__":{${fields}}}`],
    ['own fields below constructor.prototype', (fields: string) => `{"constructor":{"prototype":{${fields}}}}`],
    ['__proto__ as an escape', (fields: string) => `{"\\u005f_proto__":{${fields}}}`],
  ])('%s are not taken for fields', async (_name, body) => {
    const reply = await post(target.transport, store, body(valid()));
    expect([reply.status, refusedFields(reply)]).toEqual([400, ['merchant_id', 'amount']]);
  });

  test.each([
    '"__proto__":{"name":"polluted","status":"completed"}',
    '"constructor":{"prototype":{"name":"polluted"}}',
    '"__proto__":null',
    '"__proto__":[]',
    '"prototype":{"name":"polluted"}',
    '"toString":1,"valueOf":1,"hasOwnProperty":1,"toJSON":1,"then":1',
    '"__defineGetter__":1,"__lookupGetter__":1',
  ])('%s changes neither its invoice nor a later one: unknown names are ignored', async (extra) => {
    for (const body of [`{${valid()},${extra}}`, `{${extra},${valid()}}`, `{${valid()}}`]) {
      const reply = await post(target.transport, store, body);
      const found = await lookup(target.transport, store, transIdOf(reply));
      expect(Object.keys(found.json.data ?? {}).toSorted()).toEqual(
        ['trans_id', 'status', 'amount', 'created_at', 'expires_at'].toSorted(),
      );
      expect(found.json.data?.['status']).toBe('waiting');
    }
  });
});

describe('bodies that two readers could read differently', () => {
  test.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('%s is read', async (type) => {
    expect((await post(target.transport, store, `{${valid()}}`, [['content-type', type]])).status).toBe(200);
  });

  test.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json-patch+json',
    'application/jsonp',
    'application/json, text/plain',
    'application/octet-stream',
    'application',
    'garbage',
    '/',
    ';',
    `application/${'x'.repeat(8_000)}`,
    `text/plain;${' a="b\\"c";'.repeat(700)}`,
  ])('%.60s is refused, and only after the key was asked for', async (type) => {
    const headers = [['content-type', type]] as const;
    const reply = await post(target.transport, store, `{${valid()}}`, headers);
    expect([reply.status, reply.json.error_code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    await target.database.pool.query('truncate admissions');
    const stranger = await send(target.transport, {
      method: 'POST',
      path: '/payment/crypto',
      headers,
      body: Buffer.from('{}'),
    });
    expect(stranger.json.error_code).toBe('MISSING_API_KEY');
  });

  test('a body without a content type, or a compressed one, is refused', async () => {
    expect((await post(target.transport, store, `{${valid()}}`, [])).status).toBe(415);
    const headers = [
      ['content-type', 'application/json'],
      ['content-encoding', 'gzip'],
    ] as const;
    expect((await post(target.transport, store, gzipSync(`{${valid()}}`), headers)).status).toBe(415);
  });

  test('the last of two equal names counts, in every field', async () => {
    const body = `{"merchant_id":"x","name":"first","request_id":"first",${valid()},"name":"last","request_id":"last"}`;
    const reply = await post(target.transport, store, body);
    expect(reply.json.data?.['request_id']).toBe('last');
    expect((await lookup(target.transport, store, transIdOf(reply))).json.data?.['name']).toBe('last');
  });

  test.each<[string, () => Buffer]>([
    ['a byte order mark', () => Buffer.from(`\ufeff{${valid()}}`)],
    ['UTF-16', () => Buffer.from(`{${valid()}}`, 'utf16le')],
    [
      'invalid UTF-8',
      () => Buffer.concat([Buffer.from(`{${valid()},"name":"`), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
    [
      'overlong UTF-8',
      () => Buffer.concat([Buffer.from(`{${valid()},"name":"`), Buffer.from([0xc0, 0x80]), Buffer.from('"}')]),
    ],
    [
      'surrogates in UTF-8',
      () => Buffer.concat([Buffer.from(`{${valid()},"name":"`), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
    ['a raw control character in text', () => Buffer.from(`{${valid()},"name":"\n"}`)],
    ['a comment', () => Buffer.from(`{${valid()}}// comment`)],
    ['a trailing comma', () => Buffer.from(`{${valid()},}`)],
    ['two bodies', () => Buffer.from(`{${valid()}}{${valid()}}`)],
    ['a body that ends early', () => Buffer.from(`{${valid()}`)],
    ['single quotes', () => Buffer.from(`{${valid().replaceAll('"', "'")}}`)],
    ['nothing', () => Buffer.alloc(0)],
  ])('%s is refused as no JSON', async (_name, body) => {
    const reply = await post(target.transport, store, body());
    expect([reply.status, reply.json.error_code, refusedFields(reply)]).toEqual([400, 'VALIDATION_ERROR', ['body']]);
  });

  test.each(['null', 'true', '5', '"text"', '[]', '[{}]'])('%s is refused: a body is an object', async (body) => {
    const reply = await post(target.transport, store, body);
    expect([reply.status, refusedFields(reply)]).toEqual([400, ['body']]);
  });

  test.each(['5', '"5"'])(
    'nesting ends at the same depth for the amount %s, in lists and in objects',
    async (amount) => {
      const nest = (open: string, close: string, levels: number) =>
        `{"merchant_id":"${store.merchantId}","amount":${amount},"x":${open.repeat(levels)}1${close.repeat(levels)}}`;
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        expect((await post(target.transport, store, nest(open, close, MAX_DEPTH - 1))).status).toBe(200);
        for (const levels of [MAX_DEPTH, 1_000, 2_000]) {
          expect((await post(target.transport, store, nest(open, close, levels))).json.error_code).toBe(
            'VALIDATION_ERROR',
          );
        }
      }
      expect((await post(target.transport, store, '['.repeat(MAX_BODY_BYTES))).status).toBe(400);
    },
  );

  test('a body of 16 kB is read and one byte more is refused, whether its length was announced or not', async () => {
    expect((await post(target.transport, store, padded(MAX_BODY_BYTES))).status).toBe(200);
    for (const bytes of [MAX_BODY_BYTES + 1, 100_000, 2_000_000]) {
      const reply = await post(target.transport, store, padded(bytes));
      expect([reply.status, reply.json.error_code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    }
    const announced = await fetch(`${target.server.url}/payment/crypto`, {
      method: 'POST',
      headers: { 'x-api-key': store.apiKey, 'content-type': 'application/json' },
      body: new Blob([padded(MAX_BODY_BYTES + 1)]).stream(),
      duplex: 'half',
    });
    expect(announced.status).toBe(413);
  });
});

const INJECTIONS = [
  "' or '1'='1",
  "'; drop table invoices; --",
  "x'; select pg_sleep(5); --",
  '$1',
  '$$; delete from stores; $$',
  "\\'; truncate ledger_entries; --",
  "x' union select hash from api_keys --",
  '%27%20or%201=1',
  '"; drop schema public cascade; --',
  '/**/or/**/1=1',
];

async function countAll() {
  const { rows } = await target.database.pool.query<{ stores: bigint; keys: bigint; tables: bigint }>(
    `select (select count(*) from stores) as stores, (select count(*) from api_keys) as keys,
       (select count(*) from pg_class where relnamespace = 'public'::regnamespace) as tables`,
  );
  return rows[0];
}

describe('SQL injection', () => {
  test.each(INJECTIONS)('%s is text in every field: statements take parameters only', async (text) => {
    const before = await countAll();
    const fields = {
      name: text,
      description: text,
      request_id: text,
      callback_url: `https://shop.example/?q=${encodeURIComponent(text)}`,
    };
    const reply = await create(target.transport, store, fields);
    const transId = transIdOf(reply);
    const { rows } = await target.database.pool.query(
      'select name, description, request_id, callback_url from invoices where trans_id = $1',
      [transId],
    );
    expect(rows).toEqual([fields]);
    expect((await create(target.transport, store, { merchant_id: text })).json.error_code).toBe('INVALID_MERCHANT_ID');
    expect(refusedFields(await create(target.transport, store, { amount: text }))).toEqual(['amount']);
    const path = encodeURIComponent(text);
    const found = await lookup(target.transport, store, path);
    expect([found.status, found.json.details?.['trans_id']]).toEqual([400, text]);
    await target.database.pool.query('truncate admissions');
    const keyed = await send(target.transport, { path: `/invoice/${transId}`, headers: [['x-api-key', text]] });
    expect(keyed.json.error_code).toBe('INVALID_API_KEY');
    expect(await countAll()).toEqual(before);
  });
});

import fc from 'fast-check';
import type { Caller } from './oracle.ts';
import { rawRequests } from '../../rig/requests/raw-request.ts';
import {
  currencies,
  goodAmounts,
  hostileTexts,
  jsonValues,
  lifetimes,
  metadata,
  methodLists,
  quoted,
  texts,
  urls,
  wildAmounts,
} from './values.ts';

/**
 * Requests that probe every boundary of the merchant API. Most requests are create calls by a store that may create
 * invoices.
 */

export type LookupTarget = { own: number } | { foreign: number } | { path: string };
export type FuzzRequest =
  | {
      kind: 'create';
      caller: Caller;
      contentType: string | undefined;
      encoding: string | undefined;
      body: Buffer | undefined;
      headers: [string, string][];
    }
  | { kind: 'lookup'; caller: Caller; target: LookupTarget; headers: [string, string][] }
  | { kind: 'list'; caller: Caller; query: string; headers: [string, string][] }
  | { kind: 'other'; method: string; path: string; headers: [string, string][]; body: Buffer | undefined }
  | { kind: 'raw'; bytes: Buffer };

const MAX_BODY = 16_384;
type Field = readonly [name: string, source: string];

const requestIds = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 20 }).map((number) => `order-${number}`) },
  { weight: 2, arbitrary: fc.uuid() },
  { weight: 3, arbitrary: texts(255) },
);

function fieldArbitraries(merchantId: string): fc.Arbitrary<Field>[] {
  const named = (name: string, good: fc.Arbitrary<string>) =>
    fc
      .oneof({ weight: 6, arbitrary: good }, { weight: 1, arbitrary: jsonValues })
      .map((source): Field => [name, source]);
  const merchantIds = fc.oneof(
    { weight: 24, arbitrary: fc.constant(quoted(merchantId)) },
    { weight: 1, arbitrary: texts(40).map(quoted) },
  );
  const amounts = fc.oneof({ weight: 3, arbitrary: goodAmounts }, { weight: 2, arbitrary: wildAmounts });
  const optional = [
    ...['callback_url', 'completed_url', 'expired_url'].map((name) => named(name, urls.map(quoted))),
    named('name', texts(255).map(quoted)),
    named('description', texts(1000).map(quoted)),
    named('request_id', requestIds.map(quoted)),
    named('currency', currencies),
    named('lifetime_minutes', lifetimes),
    named('metadata', metadata),
    named('methods', methodLists),
    fc
      .tuple(
        fc.constantFrom('__proto__', 'constructor', 'prototype', 'status', 'store_id', 'fee_micro_usd', 'toString', ''),
        fc.oneof(jsonValues, fc.constant('{"amount":1,"prototype":{"polluted":1}}')),
      )
      .map(([name, source]): Field => [name, source]),
    fc.tuple(fc.string(), jsonValues).map(([name, source]): Field => [name, source]),
    amounts.map((source): Field => ['amount', source]),
  ];
  return [
    merchantIds.map((source): Field => ['merchant_id', source]),
    amounts.map((source): Field => ['amount', source]),
    fc.oneof(...optional),
  ];
}

const write = (fields: readonly Field[]) =>
  `{${fields.map(([name, source]) => `${quoted(name)}:${source}`).join(',')}}`;

function objects(merchantId: string): fc.Arbitrary<string> {
  const [merchant, amount, optional] = fieldArbitraries(merchantId);
  if (!merchant || !amount || !optional) throw new Error('A field is missing.');
  const plain = fc.tuple(fc.constant<Field>(['merchant_id', quoted(merchantId)]), goodAmounts);
  const valid = fc
    .tuple(plain, fc.array(optional, { maxLength: 3 }))
    .map(([[id, source], more]) => write([id, ['amount', source], ...more]));
  const wild = fc
    .tuple(merchant, amount, fc.array(optional, { maxLength: 4 }), fc.nat(8))
    .map(([id, price, more, drop]) => write([id, price, ...more].filter((_, position) => position !== drop)));
  return fc.oneof(valid, wild);
}

function bodies(merchantId: string): fc.Arbitrary<Buffer> {
  const object = objects(merchantId);
  const good = `{"merchant_id":${quoted(merchantId)},"amount":5`;
  const padded = (bytes: number) => Buffer.from(`${good},"pad":"${'x'.repeat(bytes - good.length - 9)}"}`);
  const nested = (depth: number, amount: string) =>
    `{"merchant_id":${quoted(merchantId)},"deep":${'['.repeat(depth)}${']'.repeat(depth)},"amount":${amount}}`;
  return fc.oneof(
    { weight: 30, arbitrary: object.map((text) => Buffer.from(text)) },
    {
      weight: 3,
      arbitrary: fc.tuple(object, fc.nat()).map(([text, cut]) => Buffer.from(text).subarray(0, cut % text.length)),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(object, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([text, at, byte]) => {
        const bytes = Buffer.from(text);
        bytes[at % bytes.length] = byte;
        return bytes;
      }),
    },
    { weight: 1, arbitrary: object.map((text) => Buffer.from(`\ufeff${text}`)) },
    { weight: 1, arbitrary: object.map((text) => Buffer.from(`${text} ${text}`)) },
    { weight: 1, arbitrary: object.map((text) => Buffer.from(text, 'utf16le')) },
    { weight: 2, arbitrary: fc.json().map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 1, arbitrary: fc.constantFrom(MAX_BODY - 1, MAX_BODY, MAX_BODY + 1, 70_000, 400_000).map(padded) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(10, 62, 63, 64, 65, 3_000, 8_000), fc.constantFrom('5', '"5"', '1e3'))
        .map(([depth, amount]) => Buffer.from(nested(depth, amount))),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', ' ', 'null', '[]', '""', '5', '{', '}').map((text) => Buffer.from(text)),
    },
  );
}

const contentTypes = fc.oneof(
  { weight: 40, arbitrary: fc.constant('application/json') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'application/json; charset=utf-8',
      'APPLICATION/JSON',
      'application/json;charset="utf-8"',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
      'application/json-patch+json',
      'text/json',
      'application/xml',
      'application',
      'garbage',
      '*/*',
      undefined,
    ),
  },
);

const oddHeaders = fc.oneof(
  { weight: 9, arbitrary: fc.constant<[string, string][]>([]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<[string, string][]>(
      [['x-forwarded-host', 'evil.example']],
      [['x-forwarded-proto', 'gopher']],
      [['x-request-id', 'a'.repeat(4_000)]],
      [['accept', 'text/html;q=0.1, */*']],
      [['accept-encoding', 'gzip, br']],
      [['expect', '100-continue']],
      [['expect', 'a-miracle']],
      [['host', 'evil.example']],
      [['cookie', 'a=b; '.repeat(500)]],
      [['x-http-method-override', 'DELETE']],
      [
        ['upgrade', 'websocket'],
        ['connection', 'upgrade'],
      ],
      [['range', 'bytes=0-1']],
    ),
  },
);

const forwarded = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('unknown', '1.2.3.4, ', '"', '999.1.1.1', ' ,,, '));
const callers = fc.oneof(
  { weight: 90, arbitrary: fc.constant<Caller>('rich') },
  { weight: 6, arbitrary: fc.constantFrom<Caller>('poor', 'bare') },
  { weight: 3, arbitrary: fc.constantFrom<Caller>('none', 'garbage', 'several') },
);

const lookupTargets: fc.Arbitrary<LookupTarget> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ own: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ foreign: fc.nat() }) },
  {
    weight: 4,
    arbitrary: fc
      .oneof(
        fc.stringMatching(/^TID-[A-Z0-9]{15,17}$/),
        fc.stringMatching(/^tid-[a-z0-9]{16}$/),
        hostileTexts.filter((text) => text.isWellFormed()),
        fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
        fc.constantFrom('', '.', '..', 'TID-', "TID-' or '1'='1'--", 'TID-AAAAAAAAAAAAAAAA\n', 'x'.repeat(9_000)),
      )
      .map((text) => ({ path: encodeURIComponent(text) })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('%', '%zz', '%ff', '%c0%af', '%00', 'a/b', '?x=1', '#f').map((path) => ({ path })),
  },
);

const NUMBERS = ['0', '1', '20', '100', '101', '-1', '1.5', '1e9', '1794700800', '99999999999999999999', '%00', 'x'];
const listParameters = fc.oneof(
  fc.constantFrom(
    'status=waiting',
    'status=completed',
    'status=paid',
    'status[]=waiting',
    'status=%ff',
    'state=waiting',
  ),
  fc
    .tuple(fc.constantFrom('since', 'until', 'changed_since', 'limit'), fc.constantFrom(...NUMBERS))
    .map(([name, value]) => `${name}=${value}`),
  fc
    .tuple(
      fc.constantFrom('request_id', 'cursor', 'status', '__proto__', 'toString'),
      hostileTexts.filter((text) => text.isWellFormed()).map(encodeURIComponent),
    )
    .map(([name, value]) => `${name}=${value}`),
  fc.constantFrom(
    'cursor=c0',
    'cursor=c999999999999999999',
    'cursor=TID-AAAAAAAAAAAAAAAA',
    'request_id=order-1',
    '=',
    '%',
  ),
);
const listQueries = fc
  .array(listParameters, { maxLength: 3 })
  .map((parameters) => (parameters.length === 0 ? '' : `?${parameters.join('&')}`));

const others = (headers: fc.Arbitrary<[string, string][]>) =>
  fc.record({
    kind: fc.constant('other' as const),
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE', 'QUERY'),
    path: fc.oneof(
      fc.constantFrom('/payment/crypto', '/invoice/TID-AAAAAAAAAAAAAAAA'),
      fc.constantFrom(
        '/',
        '/payment',
        '/payment/crypto/',
        '//payment/crypto',
        '/PAYMENT/CRYPTO',
        '/admin',
        '/.env',
        '/a%2fb',
      ),
      fc.constantFrom('*', '/invoice/a/b', '/payment/crypto/../crypto', '/%', '/?'.repeat(50), `/${'a'.repeat(9_000)}`),
      fc.webPath().map((path) => (path.startsWith('/') ? path : `/${path}`)),
    ),
    body: fc.constantFrom(undefined, Buffer.from('{}'), Buffer.from('{"request_id":"r"}')),
    headers,
  });

export function fuzzRequests(
  merchantIds: Readonly<Record<'rich' | 'poor' | 'bare', string>>,
): fc.Arbitrary<FuzzRequest> {
  const headers = fc.tuple(oddHeaders, forwarded).map(([odd, address]) => odd.concat([['x-forwarded-for', address]]));
  const create = callers.chain((caller) =>
    fc.record({
      kind: fc.constant('create' as const),
      caller: fc.constant(caller),
      contentType: contentTypes,
      encoding: fc.oneof(
        { weight: 60, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constant('gzip') },
      ),
      body: fc.oneof(
        {
          weight: 60,
          arbitrary: bodies(caller === 'poor' || caller === 'bare' ? merchantIds[caller] : merchantIds.rich),
        },
        { weight: 1, arbitrary: fc.constant(undefined) },
      ),
      headers,
    }),
  );
  const lookup = fc.record({ kind: fc.constant('lookup' as const), caller: callers, target: lookupTargets, headers });
  const list = fc.record({ kind: fc.constant('list' as const), caller: callers, query: listQueries, headers });
  return fc.oneof(
    { weight: 80, arbitrary: create },
    { weight: 12, arbitrary: lookup },
    { weight: 6, arbitrary: list },
    { weight: 5, arbitrary: others(headers) },
    { weight: 3, arbitrary: rawRequests.map((bytes) => ({ kind: 'raw' as const, bytes })) },
  );
}

import fc from 'fast-check';

/** Values for the fields of a create call: ordinary, at a boundary, just past a boundary, and hostile. */

export const quoted = (text: string) => JSON.stringify(text);

export const hostileTexts = fc.constantFrom(
  'a\u0000b',
  '\u0000',
  'x\ud800y',
  '\udfff',
  '\ud83d',
  '\u202egnp.exe',
  '\ufeffmark',
  '\ufffd',
  'e\u0301\u00e9',
  "'; drop table invoices; --",
  '$1 %s {0} ${x} {{7*7}}',
  '<script>alert(1)</script>',
  'line\r\nSet-Cookie: x=1',
  '\u2028\u2029\u0085',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  ' ',
  '😀',
);

export function texts(characters: number): fc.Arbitrary<string> {
  const border = fc.tuple(fc.constantFrom('a', 'é', '漢', '😀', '"', '\n', ' '), fc.constantFrom(-1, 0, 0, 1));
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ maxLength: 40 }) },
    { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
    { weight: 3, arbitrary: border.map(([one, more]) => one.repeat(characters + more)) },
    { weight: 3, arbitrary: hostileTexts },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: characters - 2, maxLength: characters + 2 }) },
  );
}

export const urls = fc.oneof(
  { weight: 4, arbitrary: fc.webUrl({ withQueryParameters: true, withFragments: true }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(-1, 0, 1).map((more) => `https://shop.example/${'p'.repeat(500 - 21 + more)}`),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'javascript:alert(1)',
      'java\tscript:alert(1)',
      'https://shop.example/\n',
      ' https://shop.example',
      'https://shop.example/a b',
      'https:///shop.example',
      'https:shop.example',
      '//shop.example',
      'ftp://shop.example',
      'HTTPS://SHOP.EXAMPLE',
      'https://user:pass@shop.example',
      'https://@shop.example',
      'https://shop.example/@path',
      'https://shop.example#@evil.example',
      'https://shop.example:22',
      'https://shop.example:80',
      'https://shop.example:1023',
      'https://shop.example:6379/hook',
      'https://shop.example:5432/hook',
      'https://shop.example:27017/hook',
      'https://shop.example:8443/hook',
      'https://[::1]/',
      'https://[::1',
      'http://169.254.169.254/latest',
      'https://shop.example:99999',
      'https://bücher.example/ü',
      'https://shop.example\\@evil.example',
      'https://%zz/',
      'https://exa mple/',
      'http://',
      'http://a',
      'https://1.2.3.4.5/',
      'https://shop.example/\u0000',
      'https://shop.example/\ud800',
      'https://shop.example/\u00a0',
      'https://shop.example/\u009f',
      'data:text/html,x',
    ),
  },
  { weight: 1, arbitrary: texts(500) },
);

export const goodAmounts = fc.oneof(
  fc.constantFrom('50', '"50"', '50.00', '"0.01"', '1000000', '"1000000.00000000"', '0.00000001', '999999.99999999'),
  fc
    .tuple(fc.integer({ min: 1, max: 999_999 }), fc.string({ unit: fc.constantFrom('0', '1', '5', '9'), maxLength: 8 }))
    .map(([whole, fraction]) => (fraction === '' ? String(whole) : `${whole}.${fraction}`))
    .chain((text) => fc.constantFrom(text, quoted(text))),
);

/** Amounts as source text, JSON or nearly so: their digits must arrive as they are written here. */
export const wildAmounts = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '-1',
    '0.0',
    '1e3',
    '1E400',
    '1e-400',
    '5e-324',
    '1000000.00000001',
    '1000001',
    '10000000',
    '1000000.0000000000000001',
    '0.000000001',
    '9007199254740993',
    '123456789012345678901234567890',
    '00005',
    '5.',
    '.5',
    '+5',
    '0x10',
    'NaN',
    'Infinity',
    '-Infinity',
    '1_000',
    '٣',
    'true',
    'null',
    '[5]',
    '{}',
    '{"amount":5}',
    ...[' 5 ', '5 ', '\\u0035', '5\\n', '5\\u0000', '1,000', '1.000,5', '５', '1e3', '+5', '-0', '0b11', 'x', ''].map(
      (text) => `"${text}"`,
    ),
  ),
  fc.double().map(String),
  fc.bigInt().map(String),
  fc.double().map((value) => quoted(String(value))),
);

/** Fields beyond the contract, as source text: good, at a boundary and wild. */
export const currencies = fc.constantFrom('"USD"', '"USD"', '"EUR"', '"usd"', '"USD "', '840');
export const lifetimes = fc.oneof(
  fc.integer({ min: 8, max: 12 }).map(String),
  fc.integer({ min: 1_438, max: 1_442 }).map(String),
  fc.constantFrom('10.5', '-10', '"60"', '6e1', '1e400', '60.0'),
);
const metadataKeys = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: texts(40) },
);
const metadataValues = fc.oneof(
  { weight: 12, arbitrary: texts(500).map(quoted) },
  { weight: 1, arbitrary: fc.constantFrom('null', '1', '{}', '[]', '""') },
);
export const metadata = fc
  .array(fc.tuple(metadataKeys, metadataValues), { maxLength: 22 })
  .map((pairs) => `{${pairs.map(([key, value]) => `${quoted(key)}:${value}`).join(',')}}`);
const methodNames = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('BSC:USDT', 'BSC:USDC', 'ETH:USDT', 'TRC20:USDT', 'EXCHANGE_PAY:USDT') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('bsc:usdt', 'BSC', ':', 'BSC:', 'sandbox:BSC:USDT', 'BSC:DOGE', ' BSC:USDT'),
  },
);
/** With the network of the fuzzed stores, so that a list of known methods can be paid. */
export const methodLists = fc
  .array(methodNames, { maxLength: 5 })
  .map((names) => `[${['BSC:USDT', ...names].map(quoted).join(',')}]`);

export const jsonValues = fc.oneof(
  fc.constantFrom('null', '""', '0', '1', 'true', 'false', '[]', '{}', '[null]', '1e999', '-0'),
  fc.json({ maxDepth: 3 }),
);

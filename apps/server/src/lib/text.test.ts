import { describe, expect, test } from 'vitest';
import { findUrlFault, hasAtMost, isStorableText, isWebUrl } from './text.ts';

test.each([
  ['plain', true],
  ['😀', true],
  ['e\u0301 and \u00e9', true],
  ['a\u0000b', false],
  ['x\ud800y', false],
  ['\udc00', false],
])('%j can be stored as it is: %s', (text, storable) => {
  expect(isStorableText(text)).toBe(storable);
});

test('length counts characters, not UTF-16 units', () => {
  expect(hasAtMost('😀'.repeat(255), 255)).toBe(true);
  expect(hasAtMost('😀'.repeat(256), 255)).toBe(false);
  expect(hasAtMost('a'.repeat(255), 255)).toBe(true);
  expect(hasAtMost('a'.repeat(256), 255)).toBe(false);
});

describe('isWebUrl', () => {
  test.each([
    'https://shop.example/callback',
    'http://127.0.0.1:8080/cb?x=1#y',
    'HTTPS://SHOP.EXAMPLE',
    'https://user:pass@shop.example/',
    'https://[2001:db8::1]/cb',
    'https://bücher.example/ü?q=✓',
  ])('%s is a web address', (text) => {
    expect(isWebUrl(text)).toBe(true);
  });

  test.each([
    '',
    'shop.example',
    '//shop.example',
    'ftp://shop.example',
    'javascript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https:/shop.example',
    'https:///shop.example',
    'https:shop.example',
    'https://',
    'https://?x',
    ' https://shop.example',
    'https://shop.example/a b',
    'https://shop.example/\n',
    'https://shop.example\\@evil.example',
    'https://[::1',
    'https://shop.example:99999',
  ])('%j is no web address', (text) => {
    expect(isWebUrl(text)).toBe(false);
  });
});

describe('a URL that a merchant gives', () => {
  test.each([
    'https://shop.example/@path?a=@#@',
    'https://shop.example:80',
    'http://shop.example:443',
    'https://shop.example:1024',
    'https://shop.example:3000',
    'https://shop.example:8443/hook',
    'https://shop.example:65535',
  ])('%s is accepted', (url) => {
    expect(findUrlFault(url)).toBeUndefined();
  });

  test.each([
    'https://user:pass@shop.example/',
    'https://shop.example@evil.example/',
    'https://@shop.example/',
    'https://:@shop.example/',
    'HTTPS://a%40b@shop.example/',
    'ftp://shop.example/',
  ])('%s is refused for its form', (url) => {
    expect(findUrlFault(url)).toBe('form');
  });

  test.each([0, 1, 22, 25, 79, 81, 444, 1023, 2375, 3306, 5432, 6379, 6667, 9200, 11211, 27017])(
    'port %d is refused',
    (port) => {
      expect(findUrlFault(`https://shop.example:${port}/`)).toBe('port');
    },
  );
});

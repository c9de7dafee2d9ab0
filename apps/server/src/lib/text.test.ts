import { describe, expect, test } from 'vitest';
import { hasAtMost, isStorableText, isWebUrl } from './text.ts';

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

import { expect, test } from 'vitest';
import { isSupportMail, isSupportUrl, MAX_SUPPORT_URL } from './contact.ts';

test.each([
  ['https://shop.example/help?order=1#top', true],
  ['https://shop.example', true],
  ['http://shop.example/help', false],
  ['HTTPS://shop.example', false],
  ['javascript:alert(1)', false],
  ['https:shop.example', false],
  ['https://user:word@shop.example', false],
  ['https://shop.example@evil.example', false],
  ['https://localhost/help', false],
  ['https://shop.example:6379/help', false],
  ['https://shop.example/a b', false],
  [`https://shop.example/${'a'.repeat(MAX_SUPPORT_URL)}`, false],
  ['', false],
])('%s as the address of help: %s', (text, fits) => {
  expect(isSupportUrl(text)).toBe(fits);
});

test.each([
  ['help@shop.example', true],
  ['help+payments@shop.example', true],
  ['help@shop.example?bcc=all@evil.example', false],
  ['"a b"@shop.example', false],
  ['help', false],
  ['help@shop.example,other@shop.example', false],
])('%s as the mail address of help: %s', (text, fits) => {
  expect(isSupportMail(text)).toBe(fits);
});

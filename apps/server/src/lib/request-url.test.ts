import { expect, test } from 'vitest';
import { decodableUrl } from './request-url.ts';

test.each(['/invoice/TID-AAAAAAAAAAAAAAAA', '/invoice/%C3%A9%2F', '/invoice/x?name=%zz', '/invoice/x#%zz'])(
  'a path that can be decoded stays as it is: %s',
  (url) => {
    expect(decodableUrl(url)).toBe(url);
  },
);

test.each([
  ['/invoice/%', '/invoice/%25'],
  ['/invoice/%zz?x=%zz', '/invoice/%25zz?x=%zz'],
  ['/invoice/%41%ff', '/invoice/%2541%25ff'],
])('a path that cannot be decoded decodes to what was written: %s', (url, decodable) => {
  expect(decodableUrl(url)).toBe(decodable);
});

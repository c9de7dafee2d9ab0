import { describe, expect, test } from 'vitest';
import { isOwnRequest } from './own-request.ts';

const OWN = 'https://dashboard.test';

describe('a request that changes something', () => {
  test.each([
    ['from the page itself', 'same-origin', OWN, true],
    ['from the page itself, by a browser that sends no origin', 'same-origin', undefined, true],
    ['from the page itself, by an old browser', undefined, OWN, true],
    ['with neither header', undefined, undefined, false],
    ['from another site', 'cross-site', 'https://evil.test', false],
    ['from another site that sends no origin', 'cross-site', undefined, false],
    ['from another site that says to be the same', 'same-origin', 'https://evil.test', false],
    ['from a neighbouring host of the same site', 'same-site', 'https://checkout.dashboard.test', false],
    ['from a neighbouring host without an origin', 'same-site', undefined, false],
    ['typed by the person', 'none', undefined, false],
    ['from a page without an origin, such as a sandboxed frame', 'cross-site', 'null', false],
    ['from an old browser in a page without an origin', undefined, 'null', false],
    ['from the same host by plain http', undefined, 'http://dashboard.test', false],
    ['from another port of the same host', undefined, 'https://dashboard.test:8443', false],
    ['from a host whose name begins alike', undefined, 'https://dashboard.test.evil.test', false],
    ['with an unknown word', 'same-orIgin', OWN, false],
  ])('%s', (_title, secFetchSite, origin, expected) => {
    expect(isOwnRequest({ secFetchSite, origin }, OWN)).toBe(expected);
  });
});

import { expect, test } from 'vitest';
import { judgeFault } from './mail-fault.ts';

test.each([
  ['EENVELOPE', 550, 'Recipient refused', 'refused'],
  ['EENVELOPE', 451, 'Greylisted', 'later'],
  ['EENVELOPE', undefined, 'No recipients', 'later'],
  ['EMESSAGE', 554, 'Spam', 'refused'],
  ['EMESSAGE', 452, 'Full', 'later'],
  ['EAUTH', 535, 'Wrong password', 'sign-in'],
  ['EAUTH', 454, 'Not now', 'sign-in'],
  ['ETLS', 502, 'No STARTTLS', 'encryption'],
  ['ESOCKET', undefined, 'self-signed certificate', 'encryption'],
  ['ESOCKET', undefined, 'read ECONNRESET', 'connection'],
  ['ECONNECTION', 421, 'Too many connections', 'connection'],
  ['EPROTOCOL', 554, 'No service here', 'connection'],
  ['ETIMEDOUT', undefined, 'Timeout', 'connection'],
  ['EDNS', undefined, 'getaddrinfo ENOTFOUND', 'connection'],
])('%s with %s (%s) is of the kind %s after it', (name, responseCode, message, kind) => {
  const cause = Object.assign(new Error(message), { code: name, responseCode });
  expect(judgeFault(cause)).toEqual({ kind, code: responseCode, reason: message });
});

test('whatever is thrown is tried again', () => {
  expect(judgeFault('what').kind).toBe('connection');
});

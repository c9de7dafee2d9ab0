import { expect, test } from 'vitest';
import { tlsRefusal } from './tls-fault.ts';

const withCode = (code: string, more: object = {}) => Object.assign(new Error('a reason'), { code, ...more });

test.each([
  [withCode('SELF_SIGNED_CERT_IN_CHAIN'), 'not-trusted'],
  [withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'not-trusted'],
  [withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'not-trusted'],
  [withCode('ERR_TLS_CERT_ALTNAME_INVALID'), 'other-host'],
  [withCode('CERT_HAS_EXPIRED'), 'expired'],
  [withCode('ENOENT', { syscall: 'open' }), 'no-root-certificate'],
  [new Error('The server does not support SSL connections'), 'not-offered'],
  [withCode('ECONNREFUSED', { syscall: 'connect' }), undefined],
  [withCode('ENOENT', { syscall: 'connect' }), undefined],
  [withCode('28P01'), undefined],
  ['a text', undefined],
])('a connection to the database that fails by %s is refused as %s', (cause, fault) => {
  expect(tlsRefusal(cause)?.details).toEqual(fault && { fault });
});

import type { Refusals } from '../lib/refusal.ts';
import { Refusal } from '../lib/refusal.ts';

const NOT_TRUSTED: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
]);
const WITHOUT_TLS = 'The server does not support SSL connections';

type TlsFault = Refusals['DATABASE_TLS']['fault'];

function faultOf(cause: Error): TlsFault | undefined {
  const { code, syscall } = cause as NodeJS.ErrnoException;
  if (NOT_TRUSTED.has(code)) return 'not-trusted';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'other-host';
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') return 'expired';
  if (code === 'ENOENT' && syscall === 'open') return 'no-root-certificate';
  return cause.message === WITHOUT_TLS ? 'not-offered' : undefined;
}

/** The refusal of a connection to the database that TLS forbids, which waiting does not cure; undefined for other errors. */
export function tlsRefusal(cause: unknown): Refusal<'DATABASE_TLS'> | undefined {
  const fault = cause instanceof Error ? faultOf(cause) : undefined;
  return fault && new Refusal('DATABASE_TLS', { fault });
}

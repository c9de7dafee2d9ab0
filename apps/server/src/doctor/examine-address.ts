import { FetchError, fetchJson } from '../lib/fetch-json.ts';
import type { Resolver } from '../lib/resolver.ts';
import type { Finding } from './finding.ts';
import { fine, reasonOf, wrong } from './finding.ts';

/** Checks a public address as a customer would use it: name, certificate, proxy and server. */

type AddressExamination = {
  check: 'checkout address' | 'dashboard address';
  url: string;
  resolve: Resolver;
};

const TIMEOUT_MS = 15_000;
const MOST_BYTES = 65_536;
/** The request to each server, the refusal that identifies it, and its refusal of unencrypted requests. */
const QUESTIONS = {
  'checkout address': {
    path: '/invoice/TID-0000000000000000',
    status: 401,
    code: 'MISSING_API_KEY',
    plainCode: 'HTTPS_REQUIRED',
  },
  'dashboard address': {
    path: '/api/dashboard/me',
    status: 401,
    code: 'NOT_SIGNED_IN',
    plainCode: 'FOREIGN_REQUEST',
  },
} as const;

function codeOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('error_code' in answer)) return undefined;
  return typeof answer.error_code === 'string' ? answer.error_code : undefined;
}

/** Judges the answer to a request that one of our servers refuses. */
function judgeAnswer(check: AddressExamination['check'], host: string, cause: FetchError | undefined): Finding {
  const code = codeOf(cause?.answer);
  const expected = QUESTIONS[check];
  if (code === expected.plainCode)
    return wrong(
      check,
      `${host} takes every request for plain http and refuses it: the proxy is not trusted.`,
      "Set COUNTERFOIL_TRUSTED_PROXIES to the proxy's address, and let it send X-Forwarded-Proto.",
    );
  if (code === expected.code && cause?.status === expected.status) return fine(check, `${host} answers.`);
  if (cause && cause.kind !== 'status' && cause.kind !== 'not-json')
    return wrong(
      check,
      `${host} cannot be reached from here: ${cause.message}`,
      'Check that the proxy runs, that its certificate is good and that the firewall lets 443 through.',
    );
  return wrong(
    check,
    `Something else answers at ${host}${cause?.status === undefined ? '' : ` (status ${cause.status})`}.`,
    'Check where the proxy sends this host name, and that the process behind it runs.',
  );
}

export async function examineAddress({ check, url, resolve }: AddressExamination): Promise<Finding> {
  const { hostname, host } = new URL(url);
  try {
    await resolve(hostname);
  } catch (cause) {
    return wrong(
      check,
      `${hostname} has no address in DNS: ${reasonOf(cause)}`,
      'Create its A or AAAA record; certificates cannot be had without.',
    );
  }
  try {
    const { path } = QUESTIONS[check];
    await fetchJson(`${url}${path}`, { timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES });
    return judgeAnswer(check, host, undefined);
  } catch (cause) {
    if (!(cause instanceof FetchError)) throw cause;
    return judgeAnswer(check, host, cause);
  }
}

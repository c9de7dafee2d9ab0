/**
 * Faults of sending: `refused` is final for this email; others are retried. They concern the connection, its
 * encryption, our sign-in, or are temporary refusals.
 */
export type MailFault = {
  kind: 'refused' | 'connection' | 'encryption' | 'sign-in' | 'later';
  code: number | undefined;
  reason: string;
};

/** A fault from the mail library. Its own code does not show whether a refusal is final. */
type LibraryError = Error & { code?: string; responseCode?: number; command?: string };

/** Faults of the email itself: sender, recipient or content. */
const ABOUT_MAIL = new Set(['EENVELOPE', 'EMESSAGE']);
/** How the TLS library names untrusted certificates. */
const CERTIFICATE = /certificate|self.signed|altname|unable to verify|issuer/i;

export function judgeFault(cause: unknown): MailFault {
  const {
    code: name,
    responseCode: code,
    message,
  } = (cause instanceof Error ? cause : new Error(String(cause))) as LibraryError;
  const fault = { code, reason: message };
  if (ABOUT_MAIL.has(name ?? '')) return { ...fault, kind: code !== undefined && code >= 500 ? 'refused' : 'later' };
  if (name === 'EAUTH' || name === 'ENOAUTH') return { ...fault, kind: 'sign-in' };
  if (name === 'ETLS' || CERTIFICATE.test(message)) return { ...fault, kind: 'encryption' };
  return { ...fault, kind: 'connection' };
}

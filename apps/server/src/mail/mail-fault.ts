/**
 * Faults of sending a mail: `refused` is the mail server's final word about this mail; all others are tried again. They
 * are about the connection to the server, its encryption, our sign-in there, or are passing refusals.
 */
export type MailFault = {
  kind: 'refused' | 'connection' | 'encryption' | 'sign-in' | 'later';
  /** The server's code, where it gave one. */
  code: number | undefined;
  reason: string;
};

/** What the mail library tells of a fault. Its own code alone does not say whether a refusal is final. */
type LibraryError = Error & { code?: string; responseCode?: number; command?: string };

/** Codes of faults that are about the mail itself: its sender, its recipient or its content. */
const ABOUT_MAIL = new Set(['EENVELOPE', 'EMESSAGE']);
/** How the TLS library names certificates that are not to be believed. */
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

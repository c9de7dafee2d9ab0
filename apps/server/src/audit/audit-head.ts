import { Refusal } from '../lib/refusal.ts';
import type { AuditLink } from './audit.ts';

/**
 * The head of the audit chain as it is exported: whoever changes the past in the database cannot change an exported
 * copy.
 */

/**
 * The newest link as kept outside the database: from the log with its digest, or from the metric with a number made
 * from the digest.
 */
export type ExportedHead = { position: bigint; digest: string } | { position: bigint; digestNumber: number };

/**
 * How many bytes of the digest the metric shows, as many as a float holds exactly. A label with the digest would make a
 * new time series for every entry.
 */
const NUMBER_BYTES = 6;

const DIGITS = /^([1-9]\d{0,18}):(?:([0-9a-f]{64})|(\d{1,15}))$/;

export const digestNumber = (hash: Buffer) => hash.readUIntBE(0, NUMBER_BYTES);

export function formatHead({ position, hash }: Pick<AuditLink, 'position' | 'hash'>): string {
  return `${position}:${hash.toString('hex')}`;
}

/**
 * Parses an exported head: `POSITION:DIGEST` as the log line has it, or `POSITION:NUMBER` with both values of the
 * metrics.
 */
export function parseHead(text: string): ExportedHead {
  const [, position, digest, number] = DIGITS.exec(text.trim()) ?? [];
  if (position === undefined) throw new Refusal('AUDIT_HEAD_MALFORMED');
  if (digest !== undefined) return { position: BigInt(position), digest };
  return { position: BigInt(position), digestNumber: Number(number) };
}

export function matchesHead(head: ExportedHead, hash: Buffer): boolean {
  return 'digest' in head ? hash.toString('hex') === head.digest : digestNumber(hash) === head.digestNumber;
}

import { Refusal } from '../lib/refusal.ts';
import type { AuditLink } from './audit.ts';

/**
 * The head of the audit chain as it is exported: whoever changes the past cannot change what others wrote down of it.
 */

/** The newest link as kept outside the database: from the log with its digest, from the metric with a number made of it. */
export type ExportedHead = { position: bigint; digest: string } | { position: bigint; digestNumber: number };

/** Digest bytes in the metric, as many as a float holds exactly: a label would be a new series with every entry. */
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

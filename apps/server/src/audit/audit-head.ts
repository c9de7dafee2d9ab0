import { Refusal } from '../lib/refusal.ts';
import type { AuditLink } from './audit.ts';

/** The exported head: changes in the database cannot change an exported copy. */

/** The newest link outside the database: its digest in the log, or a number made from it in the metric. */
export type ExportedHead = { position: bigint; digest: string } | { position: bigint; digestNumber: number };

/** As many digest bytes as a float holds exactly. A label with the digest would make a new time series per entry. */
const NUMBER_BYTES = 6;

const DIGITS = /^([1-9]\d{0,18}):(?:([0-9a-f]{64})|(\d{1,15}))$/;

export const digestNumber = (hash: Buffer) => hash.readUIntBE(0, NUMBER_BYTES);

export function formatHead({ position, hash }: Pick<AuditLink, 'position' | 'hash'>): string {
  return `${position}:${hash.toString('hex')}`;
}

/** `POSITION:DIGEST` from the log, or `POSITION:NUMBER` from the metrics. */
export function parseHead(text: string): ExportedHead {
  const [, position, digest, number] = DIGITS.exec(text.trim()) ?? [];
  if (position === undefined) throw new Refusal('AUDIT_HEAD_MALFORMED');
  if (digest !== undefined) return { position: BigInt(position), digest };
  return { position: BigInt(position), digestNumber: Number(number) };
}

export function matchesHead(head: ExportedHead, hash: Buffer): boolean {
  return 'digest' in head ? hash.toString('hex') === head.digest : digestNumber(hash) === head.digestNumber;
}

import { createHash } from 'node:crypto';
import { hideOperatorsInJson, isOfOperator } from '../audit/audit-for-merchants.ts';
import { numberCell, textCell, timeCell, writeHeader, writeRecord } from '../lib/csv.ts';
import type { AuditRow } from './audit-page-sql.ts';

/**
 * Lines of an audit export. Each has the previous line's hash and its own over all cells before it, so that a change
 * requires rewriting all later lines and changes the file's hash. The last line has the count.
 */

export const AUDIT_HEADER = writeHeader([
  'number',
  'at',
  'actor',
  'action',
  'subject',
  'details',
  'previous_hash',
  'hash',
]);

const NO_HASH = '0'.repeat(64);

type AuditChain = { lines: number; hash: string };

export const BEFORE_FIRST_LINE: AuditChain = { lines: 0, hash: NO_HASH };

/** Public names of subjects, such as a store's code for `store:12`. */
type SubjectNames = ReadonlyMap<string, string>;

const PERSON = 'person:';

/** An actor as shown to merchants: people by code; neither operators nor processes are named. */
function nameActor(actor: string, action: string): string {
  if (isOfOperator(actor, action)) return 'operator';
  if (actor.startsWith(PERSON)) return actor.slice(PERSON.length);
  if (actor.startsWith('worker:')) return 'worker';
  if (actor.startsWith('store:')) return 'api-key';
  return actor === 'stranger' ? 'link' : 'other';
}

type Told = { at: Date | null; actor: string; action: string; subject: string; details: string };

function writeLine({ lines, hash: previous }: AuditChain, told: Told): { text: string; chain: AuditChain } {
  const number = lines + 1;
  const cells = [
    numberCell(number),
    timeCell(told.at),
    textCell(told.actor),
    textCell(told.action),
    textCell(told.subject),
    textCell(told.details),
    textCell(previous),
  ];
  const hash = createHash('sha256').update(cells.join(',')).digest('hex');
  return { text: writeRecord([...cells, textCell(hash)]), chain: { lines: number, hash } };
}

/** Writes audit entries; returns lines and the continued chain. */
export function writeAuditEntries(
  chain: AuditChain,
  entries: readonly AuditRow[],
  names: SubjectNames,
): { text: string; chain: AuditChain } {
  let reached = chain;
  let written = '';
  for (const { at, actor, action, subject, details: json } of entries) {
    const [who, details] = [nameActor(actor, action), hideOperatorsInJson(json)];
    const told = { at, actor: who, action, subject: names.get(subject) ?? subject, details };
    const line = writeLine(reached, told);
    written += line.text;
    reached = line.chain;
  }
  return { text: written, chain: reached };
}

/** The last line, with the number of lines before it. */
export function closeAudit(chain: AuditChain, merchantCode: string): string {
  const details = JSON.stringify({ entries: chain.lines });
  return writeLine(chain, { at: null, actor: 'worker', action: 'export.end', subject: merchantCode, details }).text;
}

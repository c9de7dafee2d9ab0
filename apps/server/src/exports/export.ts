import { isAllowed } from '../people/permission.ts';
import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';

/** Exports: files with rows of a merchant, made by a worker and kept for some days. Pure. */

export const EXPORT_KINDS = ['invoices', 'transfers', 'statement', 'audit'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

export const EXPORT_STATES = ['queued', 'running', 'done', 'failed', 'expired'] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

/** Invoice statuses that an export can be limited to. */
export const EXPORTED_STATUSES = ['waiting', 'processing', 'completed', 'expired'] as const;

/** Why there is no file: a closed list, shown to the person who asked. */
export type ExportFault = 'too-many-rows' | 'too-many-bytes' | 'no-permission' | 'tries-used-up';

/** How many exports of a merchant are under way at once; the table has as many slots. */
export const MOST_OPEN = 3;
/** How many exports of a merchant can be under way or kept at once. */
export const MOST_KEPT = 50;
/** How many stores one export can cover. */
export const MOST_STORES = 1_000;
/** How many rows a file can have: what a spreadsheet can open. */
export const MOST_ROWS = 1_000_000;
export const MOST_BYTES = 1_073_741_824;
/** How many bytes the files of a merchant can have together; a file under way counts as the largest that it can become. */
export const MOST_KEPT_BYTES = 4 * MOST_BYTES;
export const KEPT_DAYS = 7;
/** How long it is remembered that there was an export. */
export const REMEMBERED_DAYS = 90;

/** Which rows a file has. */
export type ExportFilter = { fromAt: Date | null; toAt: Date; status: string | null };

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Longer than any transaction lives, an operator's included: older ledger entries are all committed. */
const SETTLED_AFTER_MS = 15 * MINUTE_MS;

const wholeUnits = (ms: number, unitMs: number) => Math.floor(ms / unitMs) * unitMs;

/**
 * Decides the period of a file. The end that is shown is where the next file may begin: it is a whole second, as in the
 * API. A statement ends early enough that no entry can still appear before its end, at a whole minute, as in the app.
 */
export function decidePeriod(
  kind: ExportKind,
  asked: { fromAt: Date | null; toAt: Date | null },
  nowMs: number,
): Pick<ExportFilter, 'fromAt' | 'toAt'> {
  const latestMs = kind === 'statement' ? wholeUnits(nowMs - SETTLED_AFTER_MS, MINUTE_MS) : nowMs;
  const toMs = wholeUnits(Math.min(asked.toAt?.getTime() ?? latestMs, latestMs), SECOND_MS);
  const fromMs = asked.fromAt && wholeUnits(Math.min(asked.fromAt.getTime(), toMs), SECOND_MS);
  return { fromAt: fromMs === null ? null : new Date(fromMs), toAt: new Date(toMs) };
}

/** Whose rows a file has. */
export type ExportScope = {
  merchantAccountId: bigint;
  storeIds: readonly bigint[];
  /** Whether rows that concern the merchant, and no store, belong to it. */
  wholeMerchant: boolean;
};

const CODE_LENGTH = 16;

export const createExportCode = () => `EXP-${randomText(UPPER_ALPHANUMERIC, CODE_LENGTH)}`;

/** Whether a role may make and fetch exports of a kind. */
export function mayExport(role: string, kind: ExportKind): boolean {
  return isAllowed(role, 'export.make') && (kind !== 'audit' || isAllowed(role, 'audit.see'));
}

/** What the person who asked for an export may see now; undefined for somebody who is a member no more. */
export type Exporter = { role: string; allStores: boolean; storeIds: readonly bigint[] } | undefined;

/**
 * Decides again, when the file is made, whose rows it has: stores that the person saw then and sees now. Undefined when
 * nothing is left, or the person may not export any more.
 */
export function decideScope(asked: ExportScope & { kind: ExportKind }, exporter: Exporter): ExportScope | undefined {
  if (!exporter || !mayExport(exporter.role, asked.kind)) return undefined;
  const seen = new Set(exporter.storeIds);
  const storeIds = exporter.allStores ? asked.storeIds : asked.storeIds.filter((id) => seen.has(id));
  const wholeMerchant = asked.wholeMerchant && exporter.allStores;
  if (storeIds.length === 0 && !wholeMerchant) return undefined;
  return { merchantAccountId: asked.merchantAccountId, storeIds, wholeMerchant };
}

/** The name of the file, made of nothing that anybody typed. */
export const fileNameOf = (kind: ExportKind, code: string) => `counterfoil-${kind}-${code}.csv`;

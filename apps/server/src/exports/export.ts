import { MINUTE_MS, SECOND_MS } from '@counterfoil/core/duration.ts';
import { isAllowed } from '@counterfoil/core/permission.ts';
import { randomText, UPPER_ALPHANUMERIC } from '../lib/random.ts';

/** Exports: files with a merchant's rows, made by a worker and kept for some days. */

export const EXPORT_KINDS = ['invoices', 'transfers', 'statement', 'audit'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

export const EXPORT_STATES = ['queued', 'running', 'done', 'failed', 'expired'] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

/** Invoice statuses to filter by. */
export const EXPORTED_STATUSES = ['waiting', 'processing', 'completed', 'expired'] as const;

/** Why there is no file, as shown to the requester. */
export type ExportFault = 'too-many-rows' | 'too-many-bytes' | 'no-permission' | 'tries-used-up';

/** Most exports of a merchant in progress; the table has as many slots. */
export const MOST_OPEN = 3;
export const MOST_KEPT = 50;
/** Most stores per export. */
export const MOST_STORES = 1_000;
/** As many rows as a spreadsheet can open. */
export const MOST_ROWS = 1_000_000;
export const MOST_BYTES = 1_073_741_824;
export const MOST_KEPT_BYTES = 4 * MOST_BYTES;
export const KEPT_DAYS = 7;
/** How long the record of an export is kept. */
export const REMEMBERED_DAYS = 90;

export type ExportFilter = { fromAt: Date | null; toAt: Date; status: string | null };

/** Longer than any transaction, including an operator's: older ledger entries are all committed. */
const SETTLED_AFTER_MS = 15 * MINUTE_MS;

const wholeUnits = (ms: number, unitMs: number) => Math.floor(ms / unitMs) * unitMs;

/**
 * The period of a file. Its shown end is where the next file may begin, a whole second as in the API. A statement ends
 * at a whole minute, early enough that no entry can still appear before it.
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

export type ExportScope = {
  merchantAccountId: bigint;
  storeIds: readonly bigint[];
  /** Whether rows that concern the merchant and no store are included. */
  wholeMerchant: boolean;
};

const CODE_LENGTH = 16;

export const createExportCode = () => `EXP-${randomText(UPPER_ALPHANUMERIC, CODE_LENGTH)}`;

/** Whether a role may create and download exports of a kind. */
export function mayExport(role: string, kind: ExportKind): boolean {
  return isAllowed(role, 'export.make') && (kind !== 'audit' || isAllowed(role, 'audit.see'));
}

/** What the requester may see now; undefined for former members. */
export type Exporter = { role: string; allStores: boolean; storeIds: readonly bigint[] } | undefined;

/** Decides whose rows a file has: of stores that the requester saw at the request and sees now, if any. */
export function decideScope(asked: ExportScope & { kind: ExportKind }, exporter: Exporter): ExportScope | undefined {
  if (!exporter || !mayExport(exporter.role, asked.kind)) return undefined;
  const seen = new Set(exporter.storeIds);
  const storeIds = exporter.allStores ? asked.storeIds : asked.storeIds.filter((id) => seen.has(id));
  const wholeMerchant = asked.wholeMerchant && exporter.allStores;
  if (storeIds.length === 0 && !wholeMerchant) return undefined;
  return { merchantAccountId: asked.merchantAccountId, storeIds, wholeMerchant };
}

/** Contains no user input. */
export const fileNameOf = (kind: ExportKind, code: string) => `counterfoil-${kind}-${code}.csv`;

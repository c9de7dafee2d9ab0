import { recordAudit } from '../audit/record-audit.ts';
import type { Tx } from '../db/transaction.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Jobs } from '../jobs/open-jobs.ts';
import { sendJob } from '../jobs/send-job.ts';
import type { Person } from '../lib/actor.ts';
import { Refusal } from '../lib/refusal.ts';
import type { MailContext } from '../mail/queue-mail.ts';
import { mailOwners } from '../people/mail-owners.ts';
import { requireElevated } from '../people/require-elevated.ts';
import { requireMember } from '../people/require-member.ts';
import { storeForMember } from '../stores/store-for-member.ts';
import type { ExportKind, ExportScope } from './export.ts';
import { createExportCode, decidePeriod, MOST_KEPT, MOST_KEPT_BYTES, MOST_OPEN, MOST_STORES } from './export.ts';
import { countExports, insertExport } from './export-sql.ts';
import { listSeenStores } from './member-export-sql.ts';

/** Jobs of exports, which exist with or without a mail server. */
export type ExportContext = MailContext & { exportJobs: Jobs };

type RequestInput = {
  merchantCode: string;
  kind: ExportKind;
  /** One store's code; undefined for all visible ones. */
  merchantId: string | undefined;
  fromAt: Date | null;
  toAt: Date | null;
  status: string | null;
};

/** As often as others could take the found slot. */
const TRIES = MOST_OPEN + 1;

/** One store, or all visible ones. */
async function scopeFor(
  context: ExportContext,
  actor: Person,
  { merchantCode, merchantId, kind }: RequestInput,
): Promise<ExportScope> {
  const asked = { merchantCode, permission: 'export.make' } as const;
  const { merchantAccountId, allStores } = await requireMember(context, actor, asked);
  if (kind === 'audit') await requireMember(context, actor, { merchantCode, permission: 'audit.see' });
  if (merchantId !== undefined) {
    const { id } = await storeForMember(context, actor, { ...asked, merchantId });
    return { merchantAccountId, storeIds: [id], wholeMerchant: false };
  }
  const reader = { merchantAccountId, personId: actor.id, allStores };
  const storeIds = await listSeenStores(context.database.queries, reader, MOST_STORES + 1);
  if (storeIds.length > MOST_STORES) throw new Refusal('EXPORT_TOO_WIDE', { most: MOST_STORES });
  return { merchantAccountId, storeIds, wholeMerchant: allStores };
}

/** Refuses a merchant at a limit; returns if only the found slot was taken. */
async function refuseFullMerchant(tx: Tx, merchantAccountId: bigint): Promise<void> {
  const { open, kept, isFull } = await countExports(tx, merchantAccountId);
  if (kept >= MOST_KEPT) throw new Refusal('TOO_MANY_EXPORTS', { most: MOST_KEPT });
  if (open >= MOST_OPEN) throw new Refusal('EXPORTS_UNDER_WAY', { most: MOST_OPEN });
  if (isFull) throw new Refusal('EXPORTS_TOO_LARGE', { mostBytes: MOST_KEPT_BYTES });
}

/**
 * Requests an export, which a worker makes. Its stores are decided now and again then. Newer rows do not belong to it,
 * nor do ledger entries of the last minutes. The audit log requires a step-up: it shows who works for the merchant, and
 * from where.
 */
export async function requestExport(context: ExportContext, actor: Person, input: RequestInput): Promise<string> {
  const { database, clock, exportJobs, jobs } = context;
  const { kind, status } = input;
  const scope = await scopeFor(context, actor, input);
  if (kind === 'audit') requireElevated(actor);
  const { merchantAccountId, storeIds, wholeMerchant } = scope;
  const createdAt = new Date(clock.nowMs());
  const { fromAt, toAt } = decidePeriod(kind, input, createdAt.getTime());
  const code = createExportCode();
  const row = { ...scope, code, personId: actor.id, requestedBy: actor.code, kind, fromAt, toAt, status, createdAt };
  await inTransaction(database, async (tx) => {
    let id: bigint | undefined;
    for (let tries = 0; id === undefined && tries < TRIES; tries += 1) {
      id = await insertExport(tx, row);
      if (id === undefined) await refuseFullMerchant(tx, merchantAccountId);
    }
    if (id === undefined) throw new Refusal('EXPORTS_UNDER_WAY', { most: MOST_OPEN });
    await sendJob(tx, exportJobs, { name: 'make-export', data: { exportId: String(id) } });
    if (kind === 'audit') {
      const data = { by: actor.code, at: String(createdAt.getTime()) };
      await mailOwners(tx, { clock, jobs }, { merchantAccountId, template: 'audit-exported', data });
    }
    await recordAudit(tx, clock, actor, {
      action: 'export.make',
      subject: `merchant:${merchantAccountId}`,
      details: { export: code, kind, stores: storeIds.length, whole: wholeMerchant, from: fromAt, to: toAt, status },
    });
  });
  return code;
}

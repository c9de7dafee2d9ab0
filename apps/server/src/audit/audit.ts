import { createHash, createHmac } from 'node:crypto';

/** The action that begins an audit chain. */
export const CHAIN_BEGINS = 'audit.begin';

const AUDIT_ACTIONS = [
  'account.pass-by',
  'alarm.acknowledge',
  'api_key.end',
  'api_key.regenerate',
  'api_key.reveal',
  CHAIN_BEGINS,
  'balance.credit',
  'balance.threshold',
  'chain.rescan',
  'chain.retire',
  'chain.unfreeze',
  'database.accept',
  'exchange.add',
  'exchange.remove',
  'exchange.replace-key',
  'exchange.rescan',
  'exchange.start',
  'exchange.stop',
  'invoice.cancel',
  'invoice.create',
  'export.make',
  'invoice.end',
  'invoice.recheck',
  'invoice.test',
  'job.retry',
  'key_ring.abandon',
  'key_ring.add',
  'key_ring.init',
  'key_ring.reseal',
  'key_ring.retire',
  'mail.test',
  'member.add',
  'member.change',
  'member.invite',
  'member.remove',
  'member.uninvite',
  'merchant.activate',
  'merchant.approve',
  'merchant.create',
  'merchant.deactivate',
  'merchant.look',
  'merchant.look_end',
  'merchant.two_factor',
  'method.cancel',
  'method.fail',
  'method.request',
  'methods.delay',
  'methods.lock',
  'methods.unlock',
  'person.create',
  'person.disable',
  'person.enable',
  'person.password_link',
  'person.reset_factors',
  'person.restore',
  'person.restore_request',
  'person.restore_stop',
  'person.role',
  'plan.change',
  'plan.create',
  'restore.begin',
  'session.end',
  'store.activate',
  'store.brand',
  'store.change',
  'store.create',
  'store.deactivate',
  'store.discount',
  'store.plan',
  'store.purpose',
  'topup.request',
  'transfer.accept',
  'transfer.ask',
  'transfer.attach',
  'transfer.discard',
  'transfer.dismiss',
  'transfer.name',
  'transfer.refuse',
  'transfer.restore',
  'wallet.add',
  'wallet.remove',
  'endpoint.add',
  'endpoint.change',
  'endpoint.delete',
  'endpoint.disable',
  'endpoint.enable',
  'endpoint_secret.reveal',
  'endpoint_secret.rotate',
  'webhook.reconcile',
  'webhook.redeliver',
  'webhook.test',
  'webhook_secret.reveal',
  'webhook_secret.rotate',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** A change. `details` holds values before and after, and never a secret. */
export type AuditFact = { action: AuditAction; subject: string; details: Record<string, unknown> };

/** A stored entry. `action` may be one that this version does not have. */
export type AuditEntry = {
  id: bigint;
  at: Date;
  actor: string;
  action: string;
  subject: string;
  details: Record<string, unknown>;
};

export type OldAuditEntry = AuditEntry & { previousHash: Buffer | null; hash: Buffer | null };

export type AuditLink = {
  position: bigint;
  entryId: bigint;
  secretId: bigint;
  /** The entry id up to which everything is linked. */
  chainedUntil: bigint;
  previousHash: Buffer;
  hash: Buffer;
};

/** The previous hash of a chain's first link. */
export const FIRST_HASH = Buffer.alloc(32);

export const beginsChain = (link: Pick<AuditLink, 'previousHash'>) => link.previousHash.equals(FIRST_HASH);

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, inner]) => [key, canonical(inner)]),
  );
}

function auditText(entry: AuditEntry): string {
  return JSON.stringify([
    entry.id.toString(),
    entry.at.toISOString(),
    entry.actor,
    entry.action,
    entry.subject,
    // Hashed as returned by the database, for example dates as text.
    canonical(JSON.parse(JSON.stringify(entry.details))),
  ]);
}

/** A plain hash from before the chain was keyed: computable by anyone who could write to the database. */
export function hashOldEntry(entry: AuditEntry, previousHash: Buffer): Buffer {
  return createHash('sha256').update(previousHash).update(auditText(entry)).digest();
}

export function hashAuditLink(key: Buffer, link: Omit<AuditLink, 'hash'>, entry: AuditEntry): Buffer {
  const linkFields = [link.position, link.secretId, link.chainedUntil].map(String);
  return createHmac('sha256', key)
    .update(link.previousHash)
    .update(JSON.stringify([...linkFields, auditText(entry)]))
    .digest();
}

/** Links that continue a chain, in entry order. */
export function linkEntries(key: Buffer, head: AuditLink, entries: readonly AuditEntry[]): AuditLink[] {
  const links: AuditLink[] = [];
  let last = head;
  for (const entry of entries) {
    const link = {
      position: last.position + 1n,
      entryId: entry.id,
      secretId: head.secretId,
      chainedUntil: entry.id,
      previousHash: last.hash,
    };
    last = { ...link, hash: hashAuditLink(key, link, entry) };
    links.push(last);
  }
  return links;
}

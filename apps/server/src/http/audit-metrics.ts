import type { Registry } from 'prom-client';
import { digestNumber } from '../audit/audit-head.ts';
import { countWaiting, readHeadLink } from '../audit/audit-link-sql.ts';
import type { Database } from '../db/database.ts';
import { gauge, observe } from './observe.ts';

const COUNTED_UP_TO = 10_000;

/**
 * Metrics of the audit chain. The digest of the newest entry is shown as a number, because a label would make a new
 * time series for every entry.
 */
const METRICS = {
  counterfoil_audit_head_position: gauge('The newest link of the audit chain; 0 before the first.'),
  counterfoil_audit_head_digest: gauge('The first 48 bits of the digest of that link, as a number.'),
  counterfoil_audit_waiting_entries: gauge(
    `Audit entries that no worker has chained yet; ${COUNTED_UP_TO} stands for more.`,
  ),
};

/**
 * Registers metrics of the audit chain's head: whoever keeps these numbers can detect later that past entries were
 * changed.
 */
export function observeAudit(registry: Registry, { queries }: Database): void {
  observe(registry, METRICS, async () => {
    const head = await readHeadLink(queries);
    return {
      counterfoil_audit_head_position: Number(head?.position ?? 0n),
      counterfoil_audit_head_digest: head ? digestNumber(head.hash) : 0,
      counterfoil_audit_waiting_entries: await countWaiting(queries, COUNTED_UP_TO),
    };
  });
}

import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import { digestNumber } from '../audit/audit-head.ts';
import { countWaiting, readHeadLink } from '../audit/audit-link-sql.ts';
import type { Database } from '../db/database.ts';
import { collectTogether } from './collect-together.ts';

const COUNTED_UP_TO = 10_000;

type AuditFacts = { position: number; digest: number; waiting: number };

async function readFacts({ queries }: Database): Promise<AuditFacts> {
  const head = await readHeadLink(queries);
  return {
    position: Number(head?.position ?? 0n),
    digest: head ? digestNumber(head.hash) : 0,
    waiting: await countWaiting(queries, COUNTED_UP_TO),
  };
}

/**
 * Metrics of the audit chain's head, read when they are scraped: whoever keeps these numbers can tell later that the
 * past was changed. The digest is a number, not a label: a label would be a new series with every entry.
 */
export function observeAudit(registry: Registry, database: Database): void {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `counterfoil_audit_${name}`, help, registers: [registry] });
  const position = gauge('head_position', 'The newest link of the audit chain; 0 before the first.');
  const digest = gauge('head_digest', 'The first 48 bits of the digest of that link, as a number.');
  const waiting = gauge(
    'waiting_entries',
    `Audit entries that no worker has chained yet; ${COUNTED_UP_TO} stands for more.`,
  );
  collectTogether([position, digest, waiting], async () => {
    const facts = await readFacts(database);
    return () => {
      position.set(facts.position);
      digest.set(facts.digest);
      waiting.set(facts.waiting);
    };
  });
}

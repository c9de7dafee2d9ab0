import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SESSION_SETTINGS } from '../../src/db/database.ts';
import { bareKeyHash, seededTransId } from '../../rig/invoices/seed-invoices.ts';

/**
 * Baseline by pgbench without any code of ours: reads and writes the same rows, one call at a time, in the leanest form
 * of each statement. Our statements handle many calls at once and would cost more with one.
 */

const CONNECTIONS = 8;
const THREADS = 2;

function bareAdmit(endpoint: 'create' | 'lookup', store: string): string {
  return `
with s as (
  select s.id, s.merchant_id, s.shard, s.active, m.active as account_active, s.lifetime_minutes, s.https_callbacks_only,
    s.trial_ends_at, p.fee_rate_percent, p.minimum_fee_micro_usd, s.discount_percent, p.${endpoint}_burst as burst, p.${endpoint}_sustained as sustained
  from api_keys k join stores s on s.id = k.store_id join merchants m on m.id = s.merchant_account_id join plans p on p.id = s.plan_id
  where k.hash = ${bareKeyHash(store)} and k.expires_at > statement_timestamp()
), taken as (
  insert into admissions as r (bucket, endpoint, requested, burst_limit, burst_started_at, burst_used, sustained_started_at, sustained_used)
  select coalesce((select 's' || id from s), 'a192.0.2.1'), '${endpoint}', 1, 5, statement_timestamp(), 1, statement_timestamp(), 1
  on conflict (bucket, endpoint) do update set
    burst_used = case when r.burst_started_at <= statement_timestamp() - interval '1 second' then 1 else r.burst_used + 1 end,
    burst_started_at = case when r.burst_started_at <= statement_timestamp() - interval '1 second' then statement_timestamp() else r.burst_started_at end,
    sustained_used = case when r.sustained_started_at <= statement_timestamp() - interval '1 minute' then 1 else r.sustained_used + 1 end,
    sustained_started_at = case when r.sustained_started_at <= statement_timestamp() - interval '1 minute' then statement_timestamp() else r.sustained_started_at end
  returning burst_used, burst_started_at, sustained_used, sustained_started_at
)
select * from taken left join s on true;
`;
}

export function bareCreateScript(stores: number): string {
  return `\\set store random(1, ${stores})
\\set order random(1, 1000000000000)
${bareAdmit('create', ':store')}
with present as (
  select trans_id, status, amount_usd, created_at, expires_at from invoices where store_id = :store and request_id = 'bare-' || :order
), inserted as (
  insert into invoices (store_id, trans_id, request_id, amount_usd, name, callback_url, created_at, expires_at, fee_micro_usd)
  select :store, 'TID-A' || upper(substr(md5(:order::text || clock_timestamp()::text), 1, 15)), 'bare-' || :order, '50.00', 'a title',
    'https://shop.example/callback', now(), now() + interval '30 minutes', 250000
  where not exists (select from present) and exists (select from wallets where store_id = :store and removed_at is null)
  on conflict (store_id, request_id) where request_id is not null do nothing
  returning id
), held as (
  update balances set available_micro_usd = available_micro_usd - 250000 where store_id = :store and exists (select from inserted)
), entered as (
  insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
  select date_trunc('month', now())::date, :store, 'hold', 'available', 'held', 250000, id, 1, now() from inserted
)
select exists (select from inserted) as inserted, present.* from (select) one left join present on true;
`;
}

export function bareLookupScript(stores: number, invoices: number): string {
  const store = `1 + :invoice % ${stores}`;
  return `\\set invoice random(0, ${invoices - 1})
${bareAdmit('lookup', store)}
select i.trans_id, i.request_id, i.status, i.amount_usd, i.name, i.description, i.created_at, i.expires_at, i.fee_micro_usd,
  i.transaction_hash, i.from_address, i.callback_status, q.token, q.network, q.token_amount, q.token_price_usd, q.to_address
from invoices i left join quotes q on q.id = i.quote_id
where i.trans_id = ${seededTransId(':invoice')} and i.store_id = ${store};
`;
}

/** Calls per second of a script under pgbench. */
export function runBare(binaries: string, databaseUrl: string, script: string, seconds: number): number {
  const sizes = ['-c', String(CONNECTIONS), '-j', String(THREADS), '-T', String(seconds)];
  return runPgbench(binaries, databaseUrl, { script, words: sizes, settings: SESSION_SETTINGS });
}

export type PgbenchRun = { script: string; words: readonly string[]; settings: string };

/** Runs a script as often as `words` say; returns runs per second. */
export function runPgbench(binaries: string, databaseUrl: string, { script, words, settings }: PgbenchRun): number {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'));
  try {
    const file = join(folder, 'script.sql');
    writeFileSync(file, script);
    const output = execFileSync(
      join(binaries, 'pgbench'),
      ['-n', '-M', 'prepared', ...words, '-f', file, databaseUrl],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, PGOPTIONS: settings },
      },
    );
    const perSecond = /tps = ([\d.]+)/.exec(output)?.[1];
    if (!perSecond) throw new Error(`pgbench gave no figure:\n${output}`);
    return Number(perSecond);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

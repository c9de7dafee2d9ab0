import { API_VERSION } from '../../src/lib/api-version.ts';
import { QUARANTINE_HOURS } from '../../src/quotes/quote.ts';
import { runPgbench } from '../api/pgbench-baseline.ts';
import { CALLBACK_URL, FEE_MICRO_USD, MATCH_NETWORK, storeSql, TOKEN, unitsSql } from './seed.ts';
import { seededAddress } from '../../rig/invoices/seed-invoices.ts';

/**
 * Baseline by pgbench: writes the rows that the engine leaves behind, each once, in one transaction for as many as the
 * engine commits together. Nothing is read twice, checked or decided, and the planner may join freely.
 */

const SETTINGS = ['enable_seqscan=off', 'jit=off', 'timezone=UTC'].map((setting) => `-c ${setting}`).join(' ');
const BARE_CHAIN = 'BARE';
const REST = `now() + interval '${QUARANTINE_HOURS} hours'`;
const PERIOD = `date_trunc('month', now())::date`;
const EVENT_ID = `'evt_' || substr(md5(random()::text), 1, 24)`;
const epoch = (column: string) => `extract(epoch from ${column})::bigint`;

const DELIVERIES = `insert into deliveries (event_row_id, endpoint_id, store_id, invoice_id, sequence, host, next_attempt_at, created_at)
select t.id, p.id, t.store_id, t.invoice_id, 1, p.host, now(), now() from told t join endpoints p on p.store_id = t.store_id and p.url = '${CALLBACK_URL}'`;

/** Quotes that a run pays: `count` from `base` on, in an order that jumps about in the tables. */
export type PaidQuotes = { base: number; count: number };
export const STRIDE = 7_919;

/**
 * SQL of an event's body as the engine writes it; `shown` is what a settlement or a selection adds. Numbers and null
 * are values of the format, because pgbench takes a colon and a word for a variable.
 */
function bodySql(status: 'completed' | 'expired', shown: string, values: string): string {
  const facts = '"trans_id":"%2$s","request_id":"%3$s"';
  const head = `"event":"invoice.${status}","event_id":"%1$s","sequence":%7$s,"api_version":"${API_VERSION}","created_at":%4$s`;
  const data = `${facts},"status":"${status}","amount":"50.00","name":"a title","created_at":%5$s,"expires_at":%6$s${shown}`;
  const body = `{${head},${facts},"status":"${status}","data":{${data}}}`;
  return `format('${body}', e.event_id, e.trans_id, e.request_id, ${epoch('now()')}, ${epoch('e.created_at')}, ${epoch('e.expires_at')}, 1, ${values})`;
}

const SELECTION = `,"token_symbol":"${TOKEN}","network_symbol":"%8$s","token_amount":"%9$s","token_price":"1","to_address":"%10$s"`;
const SETTLEMENT = `,"transaction_hash":"%11$s","from_address":"%12$s","fee_amount":"0.25","callback_status":%13$s`;

export const BARE_CHAIN_SEED = `insert into chains (network, height, hash, block_time, head_height, head_time)
  values ('${BARE_CHAIN}', 0, '0x', now(), 0, now())`;

function matchScript(quotes: PaidQuotes, range: number): string {
  return `\\set first :block * ${range}
\\set block :block + 1
begin;
with paid as (
  select n, '0x' || encode(sha256(('bare ' || n)::bytea), 'hex') as tx_id
  from (select ${quotes.base} + (p * ${STRIDE}) % ${quotes.count} as n from generate_series(:first::bigint, :first::bigint + ${range - 1}) p) s
), inserted as (
  insert into transfers (network, tx_id, index, token, from_address, to_address, units, height, block_hash, block_time, seen_at, quote_id, invoice_id)
  select q.network, p.tx_id, '${TOKEN}:0', q.token, substr(p.tx_id, 1, 42), q.to_address, q.display_units * 1000000000000::numeric, :block::bigint,
    '0x' || lpad(:block::text, 64, '0'), now(), now(), q.id, q.invoice_id
  from paid p join quotes q on q.network = '${MATCH_NETWORK}' and q.token = '${TOKEN}' and q.to_address = ${seededAddress(storeSql('p.n'))} and q.display_units = ${unitsSql('p.n')}
  returning id, tx_id, from_address, quote_id, invoice_id
), completed as (
  update invoices i set status = 'completed', settled_at = now(), paid_transfer_id = t.id, transaction_hash = t.tx_id,
    from_address = t.from_address, quote_id = t.quote_id
  from inserted t where i.id = t.invoice_id
  returning i.id, i.store_id, i.trans_id, i.request_id, i.created_at, i.expires_at, i.quote_id, i.transaction_hash, i.from_address,
    ${EVENT_ID} as event_id
), captured as (
  insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
  select ${PERIOD}, store_id, 'capture', 'held', 'revenue', ${FEE_MICRO_USD}, id, 1, now() from completed
), rested as (
  update quotes q set held_to = ${REST} from inserted t where q.id = t.quote_id
  returning q.id, q.network, q.token, q.to_address, q.display_units, q.token_amount
), slots as (
  update amount_slots s set held_until = ${REST} from rested r
  where s.network = r.network and s.token = r.token and s.address = r.to_address and s.display_units = r.display_units
), told as (
  insert into events (event_id, store_id, invoice_id, sequence, type, body, created_at)
select e.event_id, e.store_id, e.id, 1, 'invoice.completed',
  ${bodySql('completed', SELECTION + SETTLEMENT, "q.network, trim_scale(q.token_amount), q.to_address, e.transaction_hash, e.from_address, 'null'")}, now()
from completed e join rested q on q.id = e.quote_id
  returning id, store_id, invoice_id
)
${DELIVERIES};
insert into chain_blocks (network, height, hash, parent_hash, block_time)
  values ('${BARE_CHAIN}', :block::bigint, '0x' || lpad(:block::text, 64, '0'), '0x' || lpad(:block::text, 64, '0'), now());
update chains set height = :block::bigint, hash = '0x' || lpad(:block::text, 64, '0'), block_time = now() where network = '${BARE_CHAIN}';
commit;
`;
}

function expireScript(base: number, batch: number): string {
  return `\\set first ${base + 1} + :batch * ${batch}
\\set batch :batch + 1
begin;
with expired as (
  update invoices i set status = 'expired' where i.id >= :first::bigint and i.id < :first::bigint + ${batch} and i.status = 'waiting'
  returning i.id, i.store_id, i.trans_id, i.request_id, i.created_at, i.expires_at, i.quote_id, ${EVENT_ID} as event_id
), released as (
  insert into ledger_entries (period, store_id, kind, from_account, to_account, micro_usd, invoice_id, hold_number, at)
  select ${PERIOD}, store_id, 'release', 'held', 'available', ${FEE_MICRO_USD}, id, 1, now() from expired
), moved as (
  update balances b set available_micro_usd = b.available_micro_usd + m.micro_usd
  from (select store_id, count(*) * ${FEE_MICRO_USD} as micro_usd from expired group by store_id) m where b.store_id = m.store_id
), rested as (
  update quotes q set held_to = ${REST} where q.invoice_id >= :first::bigint and q.invoice_id < :first::bigint + ${batch}
  returning q.id, q.network, q.token, q.to_address, q.display_units, q.token_amount
), slots as (
  update amount_slots s set held_until = ${REST} from rested r
  where s.network = r.network and s.token = r.token and s.address = r.to_address and s.display_units = r.display_units
), told as (
  insert into events (event_id, store_id, invoice_id, sequence, type, body, created_at)
select e.event_id, e.store_id, e.id, 1, 'invoice.expired',
  case when q.id is null then ${bodySql('expired', '', `''`)}
    else ${bodySql('expired', SELECTION, 'q.network, trim_scale(q.token_amount), q.to_address')} end, now()
from expired e left join rested q on q.id = e.quote_id
  returning id, store_id, invoice_id
)
${DELIVERIES};
commit;
`;
}

export type BareMatch = { quotes: PaidQuotes; firstBlock: number; blocks: number; range: number };

/** Payments per second that pgbench writes. */
export function runBareMatch(binaries: string, url: string, { quotes, firstBlock, blocks, range }: BareMatch): number {
  const words = ['-c', '1', '-t', String(blocks), '-D', `block=${firstBlock}`];
  return runPgbench(binaries, url, { script: matchScript(quotes, range), words, settings: SETTINGS }) * range;
}

/** Expiries per second that pgbench writes, of due invoices from `base` on. */
export function runBareExpire(binaries: string, url: string, base: number, count: number, batch: number): number {
  const words = ['-c', '1', '-t', String(count / batch), '-D', 'batch=0'];
  return runPgbench(binaries, url, { script: expireScript(base, batch), words, settings: SETTINGS }) * batch;
}

import type { ProcessRole } from '../../src/db/role.ts';
import { ENDPOINT_GRANTS } from './endpoint-grants.ts';
import { INVOICE_GRANTS } from './invoice-grants.ts';
import type { ExpectedGrants } from './expected-people-grants.ts';
import { PEOPLE_GRANTS } from './expected-people-grants.ts';

/**
 * Expected rights of each role, written independently of grants.sql: a table missing here, or a right that differs,
 * fails. A right to some columns names them; a role without rights is left out. Partitions of months belong to the
 * owner only.
 */
const GRANTS: ExpectedGrants = {
  account_demands: { api: 'insert', worker: 'select insert delete update(id)', admin: 'insert' },
  admissions: { api: 'select insert update delete', dashboard: 'select insert update' },
  alarms: {
    api: 'select insert',
    worker: 'select insert update(alerted_at)',
    admin: 'select insert update(acknowledged_at,acknowledged_by)',
    dashboard: 'insert(at,details,kind,subject) select(at,id,kind,subject)',
  },
  alerts: {
    worker: 'select insert delete update(attempts,decided_at,last_error,next_attempt_at,state)',
    admin: 'select',
  },
  amount_slots: {
    api: 'select insert update(held_until,quote_id)',
    worker: 'select insert update(held_until,quote_id)',
    admin: 'select insert update(held_until,quote_id)',
  },
  api_key_days: { api: 'select insert delete update(calls,last_used_at)', views: 'select' },
  api_keys: {
    api: 'select(expires_at,hash,id,store_id)',
    admin: 'select insert update(expires_at)',
    dashboard: 'insert select(expires_at,hash,hint,id,secret_id,store_id) update(expires_at)',
    worker: 'select(expires_at,hint,id,store_id)',
    views: 'select(created_at,expires_at,hint,id,store_id)',
  },
  attachments: {
    worker: 'select update(decided_at,fault,next_try_at,state,tries)',
    dashboard: 'select insert',
    views: 'select',
  },
  attempts: { worker: 'select insert', admin: 'select', views: 'select' },
  attempts_default: { worker: 'select delete' },
  audit_entries: {
    worker: 'select insert',
    admin: 'select insert',
    dashboard: 'insert select(id)',
    views: 'select(action,actor,at,details,id,merchant_account_id,subject)',
  },
  audit_links: { worker: 'select insert', admin: 'select insert' },
  balances: {
    api: 'select update(available_micro_usd)',
    worker: 'select update(available_micro_usd,overdraft_micro_usd)',
    admin: 'select insert update(available_micro_usd,overdraft_micro_usd)',
    dashboard: 'select insert update(available_micro_usd)',
    views: 'select',
  },
  brands: {
    api: 'select',
    admin: 'select insert update(accent,display_name,logo_hash,support_email,support_url)',
    dashboard: 'select insert update(accent,display_name,logo_hash,support_email,support_url)',
    views: 'select',
  },
  chain_blocks: {
    worker: 'select insert delete update(block_time,hash,kept,parent_hash)',
    admin: 'select insert delete update(block_time,hash,kept,parent_hash)',
  },
  chain_coverage: { worker: 'select insert update(block_time,height)', admin: 'select update(block_time,height)' },
  chain_reads: { worker: 'select insert delete update(hash,read_at,read_by)', admin: 'select insert delete' },
  chains: {
    api: 'select',
    worker:
      'select insert update(block_time,frozen_at,frozen_reason,hash,head_height,head_read_at,head_time,height,lease_owner,lease_until,rewinds)',
    admin: 'select update(block_time,frozen_at,frozen_reason,hash,height,retired_at,retired_reason,rewinds)',
    views: 'select(head_height,network)',
  },
  counted_days: { worker: 'select insert update(closed_at,counted_at,took_ms)' },
  database_confirmation: {
    api: 'select',
    dashboard: 'select',
    worker: 'select update(server_started_at,table_oid,valid_until,went_back_at)',
    admin:
      'select update(accepted_by,accepted_server_started_at,accepted_table_oid,reserved_until,stopped_until,went_back_at)',
  },
  database_marks: { worker: 'select insert update(marked_at,sequence)', admin: 'select' },
  deliveries: {
    api: 'select(attempts,event_row_id,id,state)',
    worker: 'select insert update(attempts,leased_until,next_attempt_at,probes,resume_at,state,unscheduled)',
    admin: 'select insert',
    dashboard: 'insert select(by_hand,created_at,endpoint_id,event_row_id,host,id,state,store_id)',
    views: 'select',
  },
  dismissed_transfers: { worker: 'select', dashboard: 'select insert delete', views: 'select' },
  endpoints: {
    worker: 'select insert update(answered_at,failing_since,failures,probe_at)',
    admin: 'select insert',
    dashboard: 'insert(host,store_id,url) select(host,id,store_id,url)',
    views: 'select',
  },
  event_checks: { worker: 'select update(reached_at,reached_id)' },
  events: {
    api: 'select(event_id,id,invoice_id,sequence,type)',
    worker: 'select insert update(body)',
    admin: 'select insert update(id)',
    dashboard: 'select insert(body,created_at,event_id,invoice_id,sequence,store_id,type) update(id)',
    views: 'select',
  },
  expired_pending: { worker: 'select insert delete', admin: 'insert' },
  exchange_accounts: {
    api: 'select(account,checked_at,fault,key_expires_at,network,stopped_at)',
    worker:
      'select insert update(base_url,bound_to_addresses,check_due_at,checked_at,day_read_at,fault,faulty_since,is_sub_account,key_expires_at,key_hint,latest_row_ms,overlap_read_at,removed_at,secret_id,stop_reason,stopped_at,stopped_by)',
    admin:
      'select insert update(base_url,bound_to_addresses,check_due_at,checked_at,day_read_at,fault,faulty_since,is_sub_account,key_expires_at,key_hint,latest_row_ms,overlap_read_at,removed_at,secret_id,stop_reason,stopped_at,stopped_by)',
    views: 'select(account,checked_at,fault,key_expires_at,key_hint,merchant_account_id,network,removed_at,stopped_at)',
  },
  export_chunks: { worker: 'select insert delete', views: 'select' },
  exports: {
    worker:
      'select delete update(bytes,done_at,expires_at,fault,has_chunks,rows,sha256,state,store_ids,tries,whole_merchant)',
    dashboard: 'select insert',
    views: 'select',
    admin: 'select(code,created_at,done_at,fault,id,state,tries)',
  },
  followed_accounts: {
    api: 'select(account,network,stopped_at)',
    worker: 'select insert update',
    admin: 'select insert update(next_read_at,version)',
  },
  invoice_changes: { api: 'select insert delete', worker: 'insert', admin: 'insert' },
  key_ring_holders: {
    worker: 'select insert delete update(fault,key_ids,seen_at)',
    admin: 'select',
    dashboard: 'select insert delete update(fault,key_ids,seen_at)',
  },
  key_ring_keys: { worker: 'select', admin: 'select insert delete', dashboard: 'select' },
  ledger_entries: {
    api: 'insert',
    worker: 'select insert',
    admin: 'select insert',
    dashboard: 'insert',
    views: 'select',
  },
  ledger_entries_default: {},
  logos: { api: 'select', admin: 'select insert', dashboard: 'insert', views: 'select(extension,hash)' },
  mail_setup: {
    worker: 'select insert update(confirmed_at)',
    admin: 'select',
    dashboard: 'select insert update(confirmed_at)',
  },
  mails: {
    worker: 'select insert delete update(attempts,decided_at,last_error,merged,state)',
    admin: 'select insert update(decided_at,merge_key,merged,state)',
    dashboard: 'select insert update(merged)',
  },
  merchants: {
    api: 'select',
    worker:
      'select(active,change_delay_hours,code,event_salt,id,methods_locked_at,name,shorter_delay_at,shorter_delay_hours,two_factor_required) update(id)',
    admin:
      'select insert update(active,approved_at,change_delay_hours,methods_locked_at,methods_locked_by,shorter_delay_at,shorter_delay_hours)',
    dashboard:
      'select(active,approved_at,change_delay_hours,code,id,methods_locked_at,methods_locked_by,name,opened_by,shard,shorter_delay_at,shorter_delay_hours,two_factor_required) update(methods_locked_at,methods_locked_by,two_factor_required)',
    views: 'select(change_delay_hours,id,methods_locked_at,methods_locked_by,shorter_delay_at,shorter_delay_hours)',
  },
  method_changes: {
    worker: 'select update(decided_at,decided_by,fault,state)',
    admin: 'select insert update(decided_at,decided_by,fault,state)',
    dashboard: 'select insert update(decided_at,decided_by,fault,state)',
    views:
      'select(address,code,decided_at,decided_by,effective_at,fault,id,kind,network,requested_at,requested_by,state,store_id)',
  },
  named_transactions: {
    api: 'select insert',
    worker: 'select update(ended_at,height,next_try_at,outcome,tries)',
    admin: 'select insert update(ended_at,named_at,named_by,next_try_at,outcome,tries)',
    views: 'select(ended_at,invoice_id,named_at,named_by,network,outcome,store_id,tx_id)',
  },
  plans: {
    api: 'select',
    admin:
      'select insert update(create_burst,create_sustained,fee_rate_percent,lookup_burst,lookup_sustained,minimum_fee_micro_usd,trial_days)',
    dashboard: 'select(code,create_burst,create_sustained,fee_rate_percent,id,minimum_fee_micro_usd,trial_days)',
    worker: 'select(fee_rate_percent,id,minimum_fee_micro_usd)',
    views: 'select(fee_rate_percent,id,minimum_fee_micro_usd)',
  },
  platform_pauses: {
    worker: 'select insert update(paused_until,reason)',
    admin: 'select insert update(paused_until,reason)',
  },
  notice_settings: { worker: 'select', dashboard: 'select insert update(wanted)' },
  notices: { worker: 'select insert delete update(over_at)' },
  price_history: { api: 'select', worker: 'select insert delete', admin: 'select', dashboard: 'select' },
  price_reports: {
    api: 'select',
    worker: 'select insert update(changed_at,observed_at,usd)',
    admin: 'select',
    dashboard: 'select',
  },
  quotes: {
    api: 'select insert',
    worker: 'select insert update(held_from,held_to,near_transfer_id)',
    admin: 'select insert update(held_to)',
    dashboard: 'select(id,invoice_id,network)',
    views: 'select',
  },
  receiving_addresses: { worker: 'select insert', admin: 'select insert', dashboard: 'select insert' },
  restores: { admin: 'select insert' },
  reverted_payments: { worker: 'select insert delete', admin: 'select insert delete' },
  sandbox_accounts: { worker: 'select insert update(changes,height)' },
  sandbox_acts: {
    api: 'select insert',
    worker: 'select insert delete update(done_at,outcome,tries)',
    dashboard: 'select insert',
  },
  sandbox_transfers: { api: 'select', worker: 'select insert update(block_hash,final,gone,height,paid_at)' },
  schema_migrations: { api: 'select', worker: 'select', admin: 'select', dashboard: 'select', views: 'select' },
  sealing_key: {
    worker: 'select update(one)',
    admin: 'select insert delete update(one,ring_key_id)',
    dashboard: 'select update(one)',
  },
  secrets: {
    worker: 'select insert',
    admin: 'select insert update(abandoned_at,ring_key_id,sealed)',
    dashboard: 'select insert',
  },
  stores: {
    api: 'select',
    worker: 'select update(id)',
    admin: 'select insert update(active,discount_percent,plan_id,purpose,switched_off_by)',
    dashboard:
      'insert(created_at,discount_percent,https_callbacks_only,lifetime_minutes,live,merchant_account_id,merchant_id,name,plan_id,shard,trial_ends_at) select(active,discount_percent,grace_minutes,https_callbacks_only,id,lifetime_minutes,live,merchant_account_id,merchant_id,name,plan_id,shard,switched_off_by,trial_ends_at) update(active,grace_minutes,https_callbacks_only,lifetime_minutes,low_balance_micro_usd,name,switched_off_by)',
    views:
      'select(active,created_at,discount_percent,grace_minutes,https_callbacks_only,id,lifetime_minutes,live,low_balance_micro_usd,merchant_account_id,merchant_id,name,plan_id)',
  },
  store_days: {
    worker:
      'select insert delete update(cancelled,completed,created,detect_counts,expired,fee_micro_usd,final_counts,late,volume_usd)',
    views: 'select',
  },
  test_faults: { api: 'select', worker: 'select insert update(outage_until,prices_gone_until,webhooks_fail_until)' },
  topups: {
    worker: 'select update(at_store_id,credited_at,expires_at,failed_at,fault,invoice_id,trans_id)',
    admin: 'select update(credited_at,expires_at,invoice_id,trans_id)',
    dashboard: 'select insert(code,created_at,micro_usd,requested_by,return_url,store_id)',
    views: 'select',
  },
  transfers: {
    api: 'select',
    worker: 'select insert update',
    admin: 'select insert update',
    dashboard: 'select(canonical,id,index,invoice_id,network,quote_id,reason,to_address,tx_id)',
    views: 'select',
  },
  unreadable_transactions: {
    worker: 'select insert delete update(alarmed_at,fault,next_try_at,reason,tries)',
    admin: 'select insert update(alarmed_at,passed_at)',
  },
  waiting_jobs: { worker: 'select insert delete', admin: 'select insert', dashboard: 'insert' },
  wallets: {
    api: 'select update(id)',
    worker: 'select insert update(id)',
    admin: 'select insert update(removed_at)',
    dashboard: 'select insert update(removed_at)',
    views: 'select(added_at,address,id,merchant_account_id,network,removed_at,store_id)',
  },
  watch_versions: {
    worker: 'select insert update(version)',
    admin: 'select insert update(version)',
    dashboard: 'select insert update(version)',
  },
  ...ENDPOINT_GRANTS,
  ...INVOICE_GRANTS,
  webhook_secrets: {
    worker: 'select',
    admin: 'select insert update(expires_at)',
    dashboard: 'insert select(expires_at,id,secret_id,store_id) update(expires_at)',
    views: 'select(created_at,expires_at,id,store_id)',
  },
};

export const ALL_GRANTS = { ...GRANTS, ...PEOPLE_GRANTS };
export const SEQUENCES: Record<string, ProcessRole[]> = {
  events_id_seq: ['worker', 'admin'],
  quotes_id_seq: ['api', 'worker', 'admin'],
};
export const FUNCTIONS: Record<string, ProcessRole[]> = {
  audited_merchant: [],
  drop_oldest_attempts: ['worker'],
  drop_oldest_month: ['worker'],
  is_operator: ['dashboard', 'views'],
  joined_merchants: ['dashboard', 'views'],
  lacks_two_factor: ['dashboard', 'views', 'worker'],
  linked_merchants: ['dashboard', 'views'],
  make_partitions: ['worker'],
  offers_topups: ['dashboard'],
  open_own_merchant: ['dashboard'],
  own_merchants: ['dashboard', 'views'],
  own_stores: ['dashboard', 'views'],
  owners_around: ['admin', 'dashboard'],
  seen_merchants: ['dashboard', 'views'],
  seen_stores: ['dashboard', 'views'],
  two_factor_owners: ['dashboard'],
};
export const JOB_FUNCTIONS: typeof FUNCTIONS = { job_now: ['worker', 'admin', 'dashboard'] };

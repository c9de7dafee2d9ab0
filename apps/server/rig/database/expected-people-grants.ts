import type { ProcessRole } from '../../src/db/role.ts';

/** Expected rights in the tables of people and of jobs. */

export type ExpectedGrants = Record<string, Partial<Record<ProcessRole, string>>>;

/** People and their sign-in: the dashboard's server has them to itself, an operator makes the first ones. */
export const PEOPLE_GRANTS: ExpectedGrants = {
  attempt_budgets: { dashboard: 'select insert update delete' },
  challenges: { dashboard: 'select insert delete' },
  credential_restores: {
    dashboard: 'select insert delete update(applied_at,stopped_at)',
    worker: 'select(applied_at,effective_at,id,person_id,stopped_at)',
    admin: 'select(applied_at,person_id,stopped_at) update(stopped_at)',
  },
  address_changes: {
    dashboard: 'select insert delete update(done_at,ended_at,replaced_shown)',
    worker: 'select(done_at,ended_at,expires_at,id,mail_normal,mail_shown,person_id)',
    admin: 'select(done_at,ended_at,person_id,replaced_shown) update(ended_at)',
  },
  devices: { dashboard: 'select insert delete update(hash,used_at)', admin: 'select delete' },
  earlier_credentials: {
    dashboard: 'select insert delete update(ended_at,ring_key_id,sealed)',
    worker: 'select(ended_at,expires_at,id,person_id,ring_key_id)',
    admin: 'select update(abandoned_at,ring_key_id,sealed)',
  },
  factor_resets: {
    dashboard: 'select insert update(applied_at,stopped_at)',
    admin: 'select insert update(stopped_at)',
    worker: 'select(applied_at,effective_at,id,person_id,requested_by,stopped_at)',
  },
  former_owners: { dashboard: 'select insert update(ended_at)', admin: 'select insert update(ended_at)' },
  invitations: {
    dashboard: 'select insert update(accepted_by,ended_at,opened_at)',
    worker: 'select(code,ended_at,expires_at,id,invited_by,merchant_account_id,role)',
    admin: 'select(code,ended_at,expires_at,invited_by) update(ended_at)',
  },
  link_tokens: {
    dashboard: 'select insert delete update(used_at)',
    worker: 'insert',
    admin: 'insert select(expires_at,person_id,used_at) update(used_at)',
  },
  membership_stores: { worker: 'select', dashboard: 'select insert delete', views: 'select' },
  memberships: {
    dashboard: 'select insert delete update(all_stores,role)',
    admin: 'select insert delete update(role)',
    worker: 'select',
    views: 'select',
  },
  operator_views: {
    dashboard: 'select insert update(ended_at)',
    worker: 'select',
    views: 'select(ended_at,ends_at,merchant_account_id,person_id,session_hash)',
  },
  passkeys: { dashboard: 'select insert delete update(last_used_at,name,sign_count)', admin: 'select' },
  people: {
    dashboard:
      'select insert update(codes_confirmed,disabled_at,fee_trial_at,language,mail_normal,mail_shown,name,password_hash,password_set_at,verified_at)',
    admin: 'select insert update(disabled_at,operator_role)',
    worker: 'select(code,disabled_at,id,language,mail_normal,mail_shown,name)',
  },
  recovery_codes: {
    dashboard: 'select insert delete update(suspended_at,used_at)',
    worker: 'select(person_id,used_at)',
    admin: 'select(suspended_at,used_at) update(suspended_at)',
  },
  security_events: {
    dashboard: 'select insert',
    worker: 'select delete',
    admin: 'select(address,agent,at,kind,person_id)',
  },
  security_events_default: {},
  sessions: {
    dashboard: 'select insert delete update(idle_until,proof,revoked_at,seen_at)',
    admin:
      'select(absolute_until,address,agent,code,created_at,half,idle_until,person_id,proof,revoked_at,seen_at) update(revoked_at)',
  },
  sign_ups: {
    dashboard: 'select insert delete update(ended_at)',
    worker: 'select(ended_at,expires_at,id,mail_normal)',
  },
  totp: {
    dashboard: 'select insert delete update(confirmed_at,last_step,pending_secret_id,secret_id)',
    admin: 'select',
  },
};
/** Expected rights in the tables of pg-boss. Its daily partitions of statistics belong to the owner only. */
export const JOB_GRANTS: ExpectedGrants = {
  bam: {},
  job: { worker: 'insert' },
  job_common: {
    worker:
      'select insert delete update(blocked,completed_on,heartbeat_on,output,pending_dependencies,retry_count,started_on,state)',
    admin:
      'insert select(created_on,data,id,name,output,retry_count,retry_limit,start_after,started_on,state) update(start_after)',
    dashboard: 'insert select(id)',
  },
  job_dependency: { worker: 'select delete' },
  queue: {
    worker:
      'select update(active_count,deferred_count,failed_count,maintain_on,monitor_claim_on,monitor_on,queued_count,ready_count,ready_history,singletons_active,total_count)',
    admin: 'select',
    dashboard: 'select',
  },
  queue_stats: {},
  schedule: {},
  subscription: {},
  version: { worker: 'select', admin: 'select', dashboard: 'select' },
  warning: {},
};

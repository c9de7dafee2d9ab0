-- The rights of each database role, table by table. Applied after every migration; a right that is not listed here is
-- refused. `grants.test.ts` holds the same rights as a table of its own: add a new table here and there. `update (id)`,
-- of an id that the database assigns, is granted for row locks alone: they need the right to change some column.

do $$
declare
  object text;
begin
  for object in
    select format('%s %s', case c.relkind when 'S' then 'sequence' else 'table' end, c.oid::regclass) from pg_class c
    where c.relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace) and c.relkind in ('r', 'p', 'v', 'S')
      and c.relowner = 'counterfoil_owner'::regrole
    union all
    select format('function %s', p.oid::regprocedure) from pg_proc p
    where p.pronamespace in ('public'::regnamespace, 'pgboss'::regnamespace) and p.proowner = 'counterfoil_owner'::regrole
  loop
    execute format('revoke all on %s from public, counterfoil_api, counterfoil_worker, counterfoil_admin, counterfoil_dashboard, '
      'counterfoil_views', object);
  end loop;
end $$;
revoke all on schema pgboss from public, counterfoil_api, counterfoil_worker, counterfoil_admin, counterfoil_dashboard,
  counterfoil_views;

-- schema_migrations: every process asks whether it knows the schema.
grant select on schema_migrations
  to counterfoil_api, counterfoil_worker, counterfoil_admin, counterfoil_dashboard, counterfoil_views;

-- Merchants, stores, plans and brands. Only an operator changes them.
grant select on merchants, stores, plans to counterfoil_api;
grant select on stores to counterfoil_worker;
-- Whether a plan takes fees: only a store that pays fees is told that its balance is empty.
grant select (id, fee_rate_percent, minimum_fee_micro_usd) on plans to counterfoil_worker, counterfoil_views;
grant select (id, event_salt, code, name, active, methods_locked_at, change_delay_hours, shorter_delay_hours, shorter_delay_at,
  two_factor_required), update (id) on merchants to counterfoil_worker;
grant update (id) on stores to counterfoil_worker;
grant select, insert, update (
  fee_rate_percent, minimum_fee_micro_usd, trial_days, create_burst, create_sustained, lookup_burst, lookup_sustained
) on plans to counterfoil_admin;
grant select, insert, update (active) on merchants, stores to counterfoil_admin;
grant update (switched_off_by, purpose, plan_id, discount_percent) on stores to counterfoil_admin;
grant update (methods_locked_at, methods_locked_by, change_delay_hours, shorter_delay_hours, shorter_delay_at) on merchants
  to counterfoil_admin;
grant select on brands, logos to counterfoil_api;
grant select, insert, update (display_name, accent, logo_hash, support_url, support_email) on brands
  to counterfoil_admin, counterfoil_dashboard;
grant select, insert on logos to counterfoil_admin;
grant insert on logos to counterfoil_dashboard;
grant select (hash, extension) on logos to counterfoil_views;

-- Keys and sealed secrets. The API finds keys by hash and opens nothing; the worker opens what it signs with.
grant select (id, store_id, hash, expires_at) on api_keys to counterfoil_api;
-- The API counts how often keys are used, and forgets old days.
grant select, insert, update (calls, last_used_at), delete on api_key_days to counterfoil_api;
grant select on api_key_days to counterfoil_views;
grant select, insert, update (expires_at) on api_keys to counterfoil_admin;
grant select on webhook_secrets, webhook_endpoint_secrets to counterfoil_worker;
grant select, insert, update (expires_at) on webhook_secrets, webhook_endpoint_secrets to counterfoil_admin;
grant select, insert on secrets to counterfoil_worker;
grant select, insert, update (ring_key_id, sealed, abandoned_at) on secrets to counterfoil_admin;
grant select on key_ring_keys to counterfoil_worker;
grant select, insert, delete on key_ring_keys to counterfoil_admin;
grant select, update (one) on sealing_key to counterfoil_worker;
grant select, insert, update (one, ring_key_id), delete on sealing_key to counterfoil_admin;
grant select, insert, update (key_ids, fault, seen_at), delete on key_ring_holders to counterfoil_worker;
grant select on key_ring_holders to counterfoil_admin;

-- Wallets and receiving addresses. An operator and the dashboard add and remove them; a worker adds what has waited.
grant select, update (id) on wallets to counterfoil_api;
grant select, insert on wallets to counterfoil_worker;
grant select, insert, update (removed_at) on wallets to counterfoil_admin, counterfoil_dashboard;
grant select (id, store_id, merchant_account_id, network, address, added_at, removed_at) on wallets to counterfoil_views;
grant select, insert on receiving_addresses to counterfoil_worker, counterfoil_admin, counterfoil_dashboard;
grant select, insert, update (state, decided_by, decided_at, fault) on method_changes to counterfoil_admin, counterfoil_dashboard;
grant select, update (state, decided_by, decided_at, fault) on method_changes to counterfoil_worker;
grant select (
  id, code, store_id, kind, network, address, requested_by, requested_at, effective_at, state, decided_by, decided_at, fault
) on method_changes to counterfoil_views;
-- Exchange accounts. An operator adds them; a worker adds what has waited, reads their statements and checks their keys.
grant select (network, account, checked_at, key_expires_at, fault, stopped_at) on exchange_accounts to counterfoil_api;
grant select (merchant_account_id, network, account, key_hint, checked_at, key_expires_at, fault, stopped_at) on exchange_accounts
  to counterfoil_views;
grant select, insert, update (
  secret_id, base_url, key_hint, bound_to_addresses, is_sub_account, checked_at, check_due_at, fault, faulty_since, key_expires_at,
  stopped_at, stop_reason, stopped_by, removed_at, overlap_read_at, day_read_at, latest_row_ms
) on exchange_accounts to counterfoil_worker, counterfoil_admin;
grant select, insert, update (paused_until, reason) on platform_pauses to counterfoil_worker, counterfoil_admin;
grant select, insert, update (version) on watch_versions to counterfoil_worker, counterfoil_admin, counterfoil_dashboard;

-- Audit and alarms. Nobody changes or removes an entry or a link. A worker chains entries, so it reads them.
grant select, insert on audit_entries, audit_links to counterfoil_worker, counterfoil_admin;
grant select, insert on alarms to counterfoil_api, counterfoil_worker;
grant update (alerted_at) on alarms to counterfoil_worker;
-- Whether the database is complete: quotes need to read it, workers and an operator decide.
grant select on database_confirmation to counterfoil_api, counterfoil_dashboard;
grant select, update (server_started_at, table_oid, valid_until, went_back_at) on database_confirmation to counterfoil_worker;
grant select, update (accepted_server_started_at, accepted_table_oid, accepted_by, went_back_at, reserved_until, stopped_until)
  on database_confirmation
  to counterfoil_admin;
grant select, insert, update (sequence, marked_at) on database_marks to counterfoil_worker;
grant select on database_marks to counterfoil_admin;
-- A worker decides about alerts and sends them; an operator looks at them.
grant select, insert, update (state, attempts, next_attempt_at, decided_at, last_error), delete on alerts to counterfoil_worker;
grant select on alerts to counterfoil_admin;
-- The dashboard's server reports that its jobs are off.
grant select (id, at, kind, subject), insert (at, kind, subject, details) on alarms to counterfoil_dashboard;
grant select, insert, update (acknowledged_at, acknowledged_by) on alarms to counterfoil_admin;

-- The ledger is only ever added to; a balance moves with it.
grant insert on ledger_entries to counterfoil_api, counterfoil_worker;
grant select, insert on ledger_entries to counterfoil_admin;
grant select on ledger_entries to counterfoil_worker;
grant select, update (available_micro_usd) on balances to counterfoil_api;
grant select, update (available_micro_usd, overdraft_micro_usd) on balances to counterfoil_worker;
grant select, insert, update (available_micro_usd, overdraft_micro_usd) on balances to counterfoil_admin;

-- Top-ups. The dashboard asks for them; only a worker says where they are paid, because that decides whose money counts.
-- Whoever completes an invoice credits them.
grant select, insert (code, store_id, micro_usd, requested_by, return_url, created_at) on topups to counterfoil_dashboard;
grant select on topups to counterfoil_views;
grant select, update (at_store_id, invoice_id, trans_id, expires_at, failed_at, fault, credited_at) on topups
  to counterfoil_worker;
grant select, update (invoice_id, trans_id, expires_at, credited_at) on topups to counterfoil_admin;
grant insert (
  store_id, trans_id, request_id, amount_usd, name, description, callback_url, completed_url, expired_url, created_at, expires_at,
  fee_micro_usd, lifetime_minutes, metadata, methods, currency, currency_amount, exchange_rate, rate_evidence
) on invoices to counterfoil_worker;
grant execute on function offers_topups(boolean) to counterfoil_dashboard;

-- Invoices, quotes and the amounts that quotes take. The API makes them, the worker ends them, an operator can do what
-- a worker can.
grant select, insert, update (quote_id, gate_network, gate_tier, gate_scope) on invoices to counterfoil_api;
grant select, update (
  status, quote_id, transaction_hash, from_address, callback_status, gate_network, gate_tier, gate_scope, late, settled_at,
  paid_transfer_id, ended_at, expires_at, expired_at, change_position
) on invoices to counterfoil_worker;
grant select, update (
  status, quote_id, transaction_hash, from_address, gate_network, gate_tier, gate_scope, late, settled_at, paid_transfer_id,
  ended_at, expired_at, change_position
) on invoices to counterfoil_admin;
grant select, insert, update (position, taken) on store_positions to counterfoil_worker, counterfoil_admin;
grant select, insert on quotes to counterfoil_api;
grant select, update (held_from, held_to, near_transfer_id) on quotes to counterfoil_worker;
grant select, insert, update (held_to) on quotes to counterfoil_admin;
grant usage on sequence quotes_id_seq to counterfoil_api, counterfoil_admin;
grant select, insert, update (quote_id, held_until) on amount_slots to counterfoil_api, counterfoil_admin;
grant select, update (held_until) on amount_slots to counterfoil_worker;
grant select, insert, delete on invoice_changes to counterfoil_api;
grant insert on invoice_changes to counterfoil_worker, counterfoil_admin;
grant select, insert, delete on expired_pending to counterfoil_worker;
-- The API and the dashboard request that an invoice be cancelled; a worker cancels it, or an operator.
grant select, insert on cancel_requests to counterfoil_api, counterfoil_dashboard;
grant select, update (invoice_id), delete on cancel_requests to counterfoil_worker;
grant select on cancel_requests to counterfoil_admin;
grant update (cancelled_at, cancelled_by) on invoices to counterfoil_worker, counterfoil_admin;
grant insert on expired_pending to counterfoil_admin;
grant select, insert on named_transactions to counterfoil_api;
grant select, update (tries, next_try_at, height, ended_at, outcome) on named_transactions to counterfoil_worker;
grant select, insert, update (named_by, named_at, tries, next_try_at, ended_at, outcome) on named_transactions
  to counterfoil_admin;
grant select, insert, update, delete on admissions to counterfoil_api;

-- The sandbox. The API leaves acts, the worker performs them.
grant select, insert on sandbox_acts to counterfoil_api;
grant select, insert, delete, update (done_at, outcome, tries) on sandbox_acts to counterfoil_worker;
grant select, insert, update (height, changes) on sandbox_accounts to counterfoil_worker;
grant select, insert, update (final, gone, height, block_hash, paid_at) on sandbox_transfers to counterfoil_worker;
grant select on sandbox_transfers to counterfoil_api;
-- Members leave acts too. The dashboard makes no quotes, so the worker selects what is paid.
grant select, insert on sandbox_acts to counterfoil_dashboard;
grant select (late, quote_id) on invoices to counterfoil_dashboard;
grant select (network) on quotes to counterfoil_dashboard;
grant insert on quotes to counterfoil_worker;
grant usage on sequence quotes_id_seq to counterfoil_worker;
grant insert, update (quote_id) on amount_slots to counterfoil_worker;
grant update (id) on wallets to counterfoil_worker;
grant select on test_faults to counterfoil_api;
grant select (network, account, stopped_at) on followed_accounts to counterfoil_api;
grant select (id, event_id, invoice_id, sequence, type) on events to counterfoil_api;
grant select (event_row_id, id, state, attempts) on deliveries to counterfoil_api;
grant select, insert, update (outage_until, webhooks_fail_until, prices_gone_until) on test_faults to counterfoil_worker;
grant insert on account_demands to counterfoil_worker;

-- Prices.
grant select on price_reports, price_history to counterfoil_api, counterfoil_admin, counterfoil_dashboard;
grant select, insert, update (usd, observed_at, changed_at) on price_reports to counterfoil_worker;
grant select, insert, delete on price_history to counterfoil_worker;

-- Chains, transfers and followed accounts. The worker reads chains; an operator rescans a range, retires a network,
-- vouches for a transfer.
grant select on chains to counterfoil_api;
grant select, insert, update (
  height, hash, block_time, head_height, head_time, head_read_at, lease_owner, lease_until, frozen_at, frozen_reason, rewinds
) on chains to counterfoil_worker;
grant select, update (
  height, hash, block_time, frozen_at, frozen_reason, retired_at, retired_reason, rewinds
) on chains to counterfoil_admin;
grant select, insert, update (hash, parent_hash, block_time, kept), delete on chain_blocks
  to counterfoil_worker, counterfoil_admin;
grant select, insert, update (height, block_time) on chain_coverage to counterfoil_worker;
grant select, update (height, block_time) on chain_coverage to counterfoil_admin;
grant select, insert, update (hash, read_at, read_by), delete on chain_reads to counterfoil_worker;
grant select, insert, delete on chain_reads to counterfoil_admin;
grant select on transfers to counterfoil_api;
grant select, insert, update on transfers to counterfoil_worker, counterfoil_admin;
grant select, insert, delete on reverted_payments to counterfoil_worker, counterfoil_admin;
grant insert on account_demands to counterfoil_api, counterfoil_admin;
grant select, update (id), delete on account_demands to counterfoil_worker;
grant select, insert, update on followed_accounts to counterfoil_worker;
grant select, insert, update (version, next_read_at) on followed_accounts to counterfoil_admin;
grant select, insert, update (fault, reason, tries, next_try_at, alarmed_at), delete on unreadable_transactions
  to counterfoil_worker;
grant select, insert, update (alarmed_at, passed_at) on unreadable_transactions to counterfoil_admin;

-- Events and their deliveries. An event is told as it was written: the worker may only erase its body when it is old.
grant select, insert, update (body) on events to counterfoil_worker;
grant select, insert, update (id) on events to counterfoil_admin;
grant usage on sequence events_id_seq to counterfoil_worker, counterfoil_admin;
grant select, insert, update (failures, probe_at, failing_since, answered_at) on endpoints to counterfoil_worker;
grant select, insert on endpoints to counterfoil_admin;
-- Webhook endpoints. Members and operators set them up; the worker sends to them and ends what waits for disabled ones.
grant select, update (draining) on webhook_endpoints to counterfoil_worker;
grant select, insert, update (types, effective_at, disabled_at, deleted_at, draining) on webhook_endpoints
  to counterfoil_admin, counterfoil_dashboard;
grant select on webhook_endpoints to counterfoil_views;
grant select, insert, update (
  state, attempts, unscheduled, next_attempt_at, leased_until, probes, resume_at
) on deliveries to counterfoil_worker;
grant select, insert on deliveries to counterfoil_admin;
grant select, insert on attempts to counterfoil_worker;
grant select, delete on attempts_default to counterfoil_worker;
grant select on attempts to counterfoil_admin;
grant select, update (reached_at, reached_id) on event_checks to counterfoil_worker;

-- The dashboard has events told again and sends test events. What is told stays as it was written.
grant select, insert (event_id, store_id, invoice_id, sequence, type, body, created_at), update (id) on events
  to counterfoil_dashboard;
grant select (id, store_id, url, host), insert (store_id, url, host) on endpoints to counterfoil_dashboard;
grant select (id, event_row_id, endpoint_id, store_id, host, state, created_at, by_hand), insert on deliveries
  to counterfoil_dashboard;

-- Money that pays nothing. The dashboard asks that it be attached, and a worker attaches: the dashboard settles nothing.
grant select (id, network, tx_id, index, to_address, quote_id, invoice_id, reason, canonical) on transfers to counterfoil_dashboard;
grant select (id, invoice_id) on quotes to counterfoil_dashboard;
grant select (id, trans_id, store_id, status, cancelled_at) on invoices to counterfoil_dashboard;
grant select, insert on attachments to counterfoil_dashboard;
grant select, update (state, fault, decided_at, tries, next_try_at) on attachments to counterfoil_worker;
grant select, insert, delete on dismissed_transfers to counterfoil_dashboard;
grant select on dismissed_transfers to counterfoil_worker;
grant select on attachments, dismissed_transfers to counterfoil_views;

-- Partitions belong to the owner role: these functions create and drop them in its name.
grant execute on function make_partitions(date), drop_oldest_attempts(timestamptz), drop_oldest_month(text, timestamptz) to counterfoil_worker;

-- People. The dashboard's server signs them in; an operator makes the first ones. `views` reads what lists show.
grant select, insert, update (
  name, language, mail_normal, mail_shown, password_hash, password_set_at, verified_at, disabled_at, codes_confirmed,
  fee_trial_at
) on people to counterfoil_dashboard;
grant select, insert, update (disabled_at, operator_role) on people to counterfoil_admin;
grant select, insert, update (sign_count, name, last_used_at), delete on passkeys to counterfoil_dashboard;
grant select on passkeys, totp to counterfoil_admin;
grant select, insert, delete on challenges to counterfoil_dashboard;
grant select, insert, update (secret_id, pending_secret_id, confirmed_at, last_step), delete on totp to counterfoil_dashboard;
grant select, insert, update (used_at, suspended_at), delete on recovery_codes to counterfoil_dashboard;
-- After a restore an operator suspends all codes, and declares the restore.
grant select (used_at, suspended_at), update (suspended_at) on recovery_codes to counterfoil_admin;
grant select, insert on restores to counterfoil_admin;
grant select, insert, update (proof, seen_at, idle_until, revoked_at), delete on sessions to counterfoil_dashboard;
grant select, insert, update (hash, used_at), delete on devices to counterfoil_dashboard;
-- Whoever ends all sessions of a person ends their devices too.
grant select, delete on devices to counterfoil_admin;
grant select, insert, update (used_at), delete on link_tokens to counterfoil_dashboard;
grant insert, select (person_id, expires_at, used_at), update (used_at) on link_tokens to counterfoil_admin;
-- An operator shuts a person out: ends sessions, links, invitations and what waits. The hash of a session stays unread.
grant select (code, person_id, proof, half, created_at, seen_at, idle_until, absolute_until, address, agent, revoked_at),
  update (revoked_at) on sessions to counterfoil_admin;
grant select (code, invited_by, expires_at, ended_at), update (ended_at) on invitations to counterfoil_admin;
grant select (person_id, ended_at, done_at, replaced_shown), update (ended_at) on address_changes to counterfoil_admin;
grant select, insert, update (ended_at), delete on sign_ups to counterfoil_dashboard;
grant select, insert, update (ended_at, done_at, replaced_shown), delete on address_changes to counterfoil_dashboard;
grant select, insert, update (stopped_at, applied_at) on factor_resets to counterfoil_dashboard;
grant select, insert, update (stopped_at) on factor_resets to counterfoil_admin;
-- Credentials that were replaced. Commands about the key ring seal them anew; disabling a person ends a pending restore.
grant select, insert, update (ended_at, ring_key_id, sealed), delete on earlier_credentials to counterfoil_dashboard;
grant select, update (ring_key_id, sealed, abandoned_at) on earlier_credentials to counterfoil_admin;
grant select (id, person_id, expires_at, ended_at, ring_key_id) on earlier_credentials to counterfoil_worker;
grant select, insert, update (stopped_at, applied_at), delete on credential_restores to counterfoil_dashboard;
grant select (person_id, stopped_at, applied_at), update (stopped_at) on credential_restores to counterfoil_admin;
grant select (id, person_id, effective_at, stopped_at, applied_at) on credential_restores to counterfoil_worker;
grant execute on function owners_around(bigint) to counterfoil_dashboard, counterfoil_admin;
grant execute on function two_factor_owners(bigint) to counterfoil_dashboard;
grant execute on function lacks_two_factor(bigint, bigint) to counterfoil_dashboard, counterfoil_views, counterfoil_worker;
grant select, insert, update (role, all_stores), delete on memberships to counterfoil_dashboard;
grant select, insert, delete on membership_stores to counterfoil_dashboard;
grant select, insert, update (opened_at, ended_at, accepted_by) on invitations to counterfoil_dashboard;
grant select, insert, update (role), delete on memberships to counterfoil_admin;
grant select, insert, update (ended_at) on former_owners to counterfoil_dashboard, counterfoil_admin;
grant select, insert, update, delete on attempt_budgets to counterfoil_dashboard;
grant select, insert on security_events to counterfoil_dashboard;
-- The dashboard cannot delete what was recorded of its users; the worker does when it is old.
grant select, delete on security_events to counterfoil_worker;
grant select (at, person_id, kind, address, agent) on security_events to counterfoil_admin;
grant select (
  id, code, name, active, shard, methods_locked_at, methods_locked_by, change_delay_hours, shorter_delay_hours, shorter_delay_at,
  two_factor_required, opened_by, approved_at
), update (methods_locked_at, methods_locked_by, two_factor_required) on merchants to counterfoil_dashboard;
-- Where registration is open, users open merchants of their own, which an operator approves.
grant execute on function open_own_merchant(text, text, boolean, timestamptz) to counterfoil_dashboard;
grant update (approved_at) on merchants to counterfoil_admin;
grant select (id, methods_locked_at, methods_locked_by, change_delay_hours, shorter_delay_hours, shorter_delay_at) on merchants
  to counterfoil_views;
grant select, insert on secrets to counterfoil_dashboard;
grant select on key_ring_keys to counterfoil_dashboard;
grant select, update (one) on sealing_key to counterfoil_dashboard;
grant select, insert, update (key_ids, fault, seen_at), delete on key_ring_holders to counterfoil_dashboard;
grant select (id), insert on audit_entries to counterfoil_dashboard;
grant select (id, code, name, mail_shown, mail_normal, language, disabled_at) on people to counterfoil_worker;
grant select on memberships to counterfoil_worker;
-- The worker gathers what mails about people say, and draws the tokens of their links.
grant insert on link_tokens to counterfoil_worker;
grant select (id, mail_normal, expires_at, ended_at) on sign_ups to counterfoil_worker;
grant select (id, person_id, mail_normal, mail_shown, expires_at, ended_at, done_at) on address_changes to counterfoil_worker;
grant select (id, person_id, requested_by, effective_at, stopped_at, applied_at) on factor_resets to counterfoil_worker;
grant select (id, code, merchant_account_id, role, invited_by, expires_at, ended_at) on invitations to counterfoil_worker;
grant select (person_id, used_at) on recovery_codes to counterfoil_worker;
-- The dashboard creates stores, but none for top-ups: whoever has that store has the money.
grant select (
  id, merchant_account_id, merchant_id, shard, live, name, active, switched_off_by, plan_id, discount_percent, trial_ends_at,
  lifetime_minutes, grace_minutes, https_callbacks_only
), insert (
  merchant_account_id, merchant_id, shard, name, live, plan_id, discount_percent, trial_ends_at, lifetime_minutes, https_callbacks_only,
  created_at
), update (name, active, switched_off_by, lifetime_minutes, grace_minutes, https_callbacks_only, low_balance_micro_usd)
  on stores to counterfoil_dashboard;
grant insert on api_keys, webhook_secrets, webhook_endpoint_secrets, balances to counterfoil_dashboard;
-- Members copy, renew and end keys and secrets.
grant select (id, store_id, hash, secret_id, hint, expires_at), update (expires_at) on api_keys to counterfoil_dashboard;
grant select (id, store_id, secret_id, expires_at), update (expires_at) on webhook_secrets to counterfoil_dashboard;
grant select (id, endpoint_id, store_id, secret_id, expires_at), update (expires_at) on webhook_endpoint_secrets
  to counterfoil_dashboard;
grant select (id, store_id, created_at, expires_at) on webhook_secrets to counterfoil_views;
grant select (id, endpoint_id, store_id, expires_at) on webhook_endpoint_secrets to counterfoil_views;
grant select (
  id, merchant_account_id, merchant_id, name, live, active, lifetime_minutes, grace_minutes, https_callbacks_only, created_at,
  low_balance_micro_usd, plan_id, discount_percent
) on stores to counterfoil_views;
grant select (id, store_id, hint, created_at, expires_at) on api_keys to counterfoil_views;
grant select (id, code, trial_days, fee_rate_percent, minimum_fee_micro_usd, create_burst, create_sustained)
  on plans to counterfoil_dashboard;
-- A member creates an invoice by the same statement as the API.
grant select, insert, update on admissions to counterfoil_dashboard;
grant select (id, store_id, trans_id, request_id, status, amount_usd, fee_micro_usd, created_at, expires_at, name, description,
  callback_url, completed_url, expired_url, lifetime_minutes, metadata, methods, currency, currency_amount, exchange_rate), insert
  on invoices to counterfoil_dashboard;
grant select, update (available_micro_usd) on balances to counterfoil_dashboard;
grant insert on ledger_entries to counterfoil_dashboard;
grant select on memberships, membership_stores to counterfoil_views;
grant select, insert, update (ended_at) on operator_views to counterfoil_dashboard;
grant select on operator_views to counterfoil_worker;
grant select (merchant_account_id, person_id, session_hash, ended_at, ends_at) on operator_views to counterfoil_views;
-- What lists and histories show of a merchant's trade.
grant select on invoices, quotes, transfers, ledger_entries, balances, brands, events, deliveries, endpoints, attempts
  to counterfoil_views;
grant select (invoice_id, network, tx_id, store_id, named_by, named_at, ended_at, outcome) on named_transactions to counterfoil_views;
grant select (id, at, actor, action, subject, details, merchant_account_id) on audit_entries to counterfoil_views;
grant select (network, head_height) on chains to counterfoil_views;
grant execute on function own_merchants(), joined_merchants(), seen_merchants(), linked_merchants(), own_stores(), seen_stores(),
  is_operator()
  to counterfoil_dashboard, counterfoil_views;
-- Exports. The dashboard's server asks for them and hands the files out; the worker makes and deletes them.
grant select, insert on exports to counterfoil_dashboard;
grant select on exports, export_chunks to counterfoil_views;
grant select, delete, update (
  state, tries, has_chunks, store_ids, whole_merchant, rows, bytes, sha256, fault, done_at, expires_at
) on exports to counterfoil_worker;
grant select, insert, delete on export_chunks to counterfoil_worker;
grant select (id, code, state, fault, tries, created_at, done_at) on exports to counterfoil_admin;
-- Figures of days, and what people are told. The worker counts and tells; people choose what they want to be told.
grant select, insert, delete, update (
  created, completed, expired, cancelled, late, volume_usd, fee_micro_usd, detect_counts, final_counts
) on store_days to counterfoil_worker;
grant select, insert, update (counted_at, took_ms, closed_at) on counted_days to counterfoil_worker;
grant select on store_days to counterfoil_views;
grant select, insert, delete, update (over_at) on notices to counterfoil_worker;
grant select, insert, update (wanted) on notice_settings to counterfoil_dashboard;
grant select on notice_settings, membership_stores to counterfoil_worker;
grant select (id, store_id, hint, expires_at) on api_keys to counterfoil_worker;
grant select (removed_at) on exchange_accounts to counterfoil_views;
-- Mails. Whoever asks for one adds its row; the worker sends it, writes what became of it, and erases it later.
grant select, insert on mails to counterfoil_worker, counterfoil_admin, counterfoil_dashboard;
grant update (merged) on mails to counterfoil_worker, counterfoil_admin, counterfoil_dashboard;
grant delete, update (state, decided_at, attempts, last_error) on mails to counterfoil_worker;
-- An operator has failed ones sent again.
grant update (state, decided_at, merge_key) on mails to counterfoil_admin;
-- Processes with a mail server record that email is set up; operator commands only read it.
grant select, insert, update (confirmed_at) on mail_setup to counterfoil_worker, counterfoil_dashboard;
grant select on mail_setup to counterfoil_admin;

-- Jobs of processes that cannot send them. A worker that can takes them from here.
grant insert on waiting_jobs to counterfoil_worker, counterfoil_admin, counterfoil_dashboard;
grant select, delete on waiting_jobs to counterfoil_worker;
grant select on waiting_jobs to counterfoil_admin;

-- Jobs, in the tables of pg-boss. An operator's command and the dashboard send them; the worker sends them, does them
-- and removes them. Nobody changes the settings of a queue, and the API has no right at all.
grant usage on schema pgboss to counterfoil_worker, counterfoil_admin, counterfoil_dashboard;
grant execute on function pgboss.job_now() to counterfoil_worker, counterfoil_admin, counterfoil_dashboard;
grant select on pgboss.version, pgboss.queue to counterfoil_worker, counterfoil_admin, counterfoil_dashboard;
grant insert, select (id) on pgboss.job_common to counterfoil_admin, counterfoil_dashboard;
-- An operator lists jobs, and has one that waits for its next attempt start now.
grant select (name, data, state, retry_count, retry_limit, start_after, created_on, started_on, output), update (start_after)
  on pgboss.job_common to counterfoil_admin;
grant select, insert, delete, update (state, started_on, completed_on, heartbeat_on, retry_count, output, blocked, pending_dependencies)
  on pgboss.job_common to counterfoil_worker;
grant insert on pgboss.job to counterfoil_worker;
grant select, delete on pgboss.job_dependency to counterfoil_worker;
grant update (
  deferred_count, queued_count, ready_count, active_count, failed_count, total_count, ready_history, singletons_active,
  monitor_claim_on, monitor_on, maintain_on
) on pgboss.queue to counterfoil_worker;

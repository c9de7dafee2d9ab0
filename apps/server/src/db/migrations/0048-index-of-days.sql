-- expand
-- Counting a day reads the invoices that ended on it, and those that expired on it and were paid later, which are few.
create index concurrently invoices_ended_on on invoices (ended_at) where ended_at is not null;
create index concurrently invoices_paid_after_expiry on invoices (expired_at) where expired_at is not null;
create index concurrently store_days_of_day on store_days (day);
create index concurrently endpoints_failing_of_store on endpoints (store_id) where failures > 0;
create index concurrently endpoints_failing_since on endpoints (failing_since) where failing_since is not null;
create index concurrently endpoints_answered on endpoints (store_id, answered_at) where answered_at is not null;
create index concurrently api_keys_ending on api_keys (expires_at) where expires_at < 'infinity';
create index concurrently exchange_keys_ending on exchange_accounts (key_expires_at) where key_expires_at is not null and removed_at is null;

-- expand
-- Lists of the dashboard. The invoices of a store, the newest first; without it a list would read all invoices.
create index concurrently invoices_of_store on invoices (store_id, id);
-- The few that are open, were paid late, or whose merchant could not be told.
create index concurrently invoices_open_of_store on invoices (store_id, id) where status in ('waiting', 'processing');
create index concurrently invoices_late_of_store on invoices (store_id, id) where late;
create index concurrently invoices_untold_of_store on invoices (store_id, id) where callback_status = 'failed';
-- What a sender paid to an address: a search reads nothing that the sender paid to other merchants.
create index concurrently transfers_by_sender on transfers (from_address, to_address, id);
-- The merchant that an audit entry is about. Not a part of what is hashed: it only says who may read the entry.
alter table audit_entries add column if not exists merchant_account_id bigint;
comment on column audit_entries.merchant_account_id is 'The merchant that it is about, who may read it; null for the service itself, and for entries from before this column.';
create index concurrently audit_entries_of_merchant on audit_entries (merchant_account_id, id) where merchant_account_id is not null;

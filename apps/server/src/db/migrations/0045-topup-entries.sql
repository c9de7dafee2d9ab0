-- expand
-- A top-up is credited once, and statements of balances find their few rows among all holds.

alter table ledger_entries validate constraint ledger_entries_accounts;
alter table ledger_entries validate constraint ledger_entries_of_invoice;
create unique index ledger_entries_topped_up_once on ledger_entries (invoice_id, period) where kind = 'topup';
create index ledger_entries_statement on ledger_entries (store_id, id) where kind in ('credit', 'debit', 'topup');

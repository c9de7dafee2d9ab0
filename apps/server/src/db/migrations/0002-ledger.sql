-- Double entry: a row moves micro-USD from one account to another, so the ledger balances by its shape.

create table balances (
  store_id bigint primary key references stores (id),
  available_micro_usd bigint not null default 0,
  overdraft_micro_usd bigint not null default 0 check (overdraft_micro_usd >= 0),
  constraint balances_available_enough check (available_micro_usd + overdraft_micro_usd >= 0)
) with (fillfactor = 70);
comment on table balances is 'The one materialised sum: what a store can still spend on fees.';
comment on column balances.overdraft_micro_usd is 'How far below zero it may stand. Only a late settlement raises it; money coming in lowers it.';

create table ledger_entries (
  period date not null,
  id bigint generated always as identity,
  store_id bigint not null,
  kind text not null check (kind in ('credit', 'debit', 'hold', 'capture', 'release')),
  from_account text not null,
  to_account text not null,
  micro_usd bigint not null check (micro_usd > 0),
  invoice_id bigint,
  hold_number smallint,
  note text,
  at timestamptz not null,
  constraint ledger_entries_accounts check (
    (kind, from_account, to_account) in (
      ('credit', 'funding', 'available'),
      ('debit', 'available', 'funding'),
      ('hold', 'available', 'held'),
      ('capture', 'held', 'revenue'),
      ('release', 'held', 'available')
    )
  ),
  constraint ledger_entries_of_invoice check (
    (kind in ('credit', 'debit')) = (invoice_id is null) and (invoice_id is null) = (hold_number is null)
  )
) partition by range (period);
create table ledger_entries_default partition of ledger_entries default;
create unique index ledger_entries_held_once on ledger_entries (invoice_id, hold_number, period) where kind = 'hold';
create unique index ledger_entries_ended_once on ledger_entries (invoice_id, hold_number, period)
  where kind in ('capture', 'release');
comment on table ledger_entries is 'Append-only. Accounts: funding (outside), available and held (of the store), revenue (of the operator).';
comment on column ledger_entries.period is 'First day of the month in which the hold was opened: a hold and its end share a partition, so the database can see that it ends once.';
comment on column ledger_entries.hold_number is '1 for the hold at creation, 2 for that of a late settlement.';

create trigger ledger_entries_append_only before update or delete on ledger_entries
  for each row execute function refuse_change();
create trigger ledger_entries_never_emptied before truncate on ledger_entries
  for each statement execute function refuse_change();
-- Row triggers reach the partitions, those on truncate do not.
create trigger ledger_entries_default_never_emptied before truncate on ledger_entries_default
  for each statement execute function refuse_change();

-- expand
-- Top-ups: merchants pay into their balance at the checkout of a store of the operator.

alter table stores
  add column purpose text constraint stores_purpose_check check (purpose = 'topup'),
  add column low_balance_micro_usd bigint constraint stores_low_balance_check check (low_balance_micro_usd >= 0);
create unique index stores_purpose on stores (purpose, live) where purpose is not null;
comment on column stores.purpose is 'What a store of the operator is for; null for all other stores. At the store for top-ups merchants pay into their balances.';
comment on column stores.low_balance_micro_usd is 'The available balance below which members are told. Null: told when it lasts a few more days only.';

create table topups (
  id bigint generated always as identity primary key,
  code text collate "C" not null unique check (code ~ '^TOP-[A-Z0-9]{16}$'),
  store_id bigint not null references stores (id),
  micro_usd bigint not null check (micro_usd between 5000000 and 10000000000),
  requested_by text not null check (length(requested_by) <= 200),
  return_url text not null check (length(return_url) <= 500),
  created_at timestamptz not null,
  at_store_id bigint references stores (id),
  invoice_id bigint unique references invoices (id),
  trans_id text collate "C",
  expires_at timestamptz,
  failed_at timestamptz,
  fault text check (length(fault) <= 100),
  credited_at timestamptz,
  constraint topups_of_invoice check (
    (invoice_id is null) = (trans_id is null) and (invoice_id is null) = (expires_at is null)
      and (invoice_id is null or at_store_id is not null)
  ),
  constraint topups_credited check (credited_at is null or invoice_id is not null),
  constraint topups_failed check ((failed_at is null) = (fault is null))
);
create index topups_of_store on topups (store_id, created_at);
create index topups_unopened on topups (id) where invoice_id is null and failed_at is null;
comment on table topups is 'Payments into the balance of a store: asked for in the dashboard, paid at the checkout, credited when their invoice completes. Kept for ever.';
comment on column topups.code is 'Also the request_id of the invoice, so that there is one invoice however often it is created.';
comment on column topups.store_id is 'The store whose balance is credited.';
comment on column topups.return_url is 'Where the checkout leads back to.';
comment on column topups.at_store_id is 'The store of the operator where the invoice is made; set before the invoice and never changed.';
comment on column topups.trans_id is 'The code of the invoice, and below it the end of its time: members may not see the invoice itself.';
comment on column topups.failed_at is 'When it was given up without an invoice.';

-- Whether top-ups can be paid: the store for them is switched on and receives somewhere.
create function offers_topups(of_live boolean) returns boolean
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select exists (select from stores s join merchants m on m.id = s.merchant_account_id
    where s.purpose = 'topup' and s.live = of_live and s.active and m.active
      and exists (select from wallets w where w.store_id = s.id and w.removed_at is null))
$$;

-- Checked for new rows at once; the next migration checks the rows that are there, without keeping anybody waiting.
alter table ledger_entries
  drop constraint ledger_entries_kind_check,
  drop constraint ledger_entries_accounts,
  drop constraint ledger_entries_of_invoice,
  add constraint ledger_entries_accounts check (
    (kind, from_account, to_account) in (
      ('credit', 'funding', 'available'),
      ('debit', 'available', 'funding'),
      ('topup', 'funding', 'available'),
      ('hold', 'available', 'held'),
      ('capture', 'held', 'revenue'),
      ('release', 'held', 'available')
    )
  ) not valid,
  add constraint ledger_entries_of_invoice check (
    (kind in ('credit', 'debit')) = (invoice_id is null)
      and (kind in ('credit', 'debit', 'topup')) = (hold_number is null)
  ) not valid;
comment on column ledger_entries.period is 'First day of the month in which the hold was opened, or the invoice of a top-up created: a hold and its end share a partition, so the database can see that it ends once.';

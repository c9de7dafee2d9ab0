-- expand
-- Changes of where live stores receive money: they wait, the owners are told, and any of them can stop them.

alter table merchants
  add column change_delay_hours integer not null default 24 check (change_delay_hours between 1 and 168),
  add column methods_locked_at timestamptz,
  add column methods_locked_by text check (length(methods_locked_by) <= 200),
  add constraint merchants_methods_locked check ((methods_locked_at is null) = (methods_locked_by is null));
comment on column merchants.change_delay_hours is 'How long a change of a live payment method waits before it takes effect.';
comment on column merchants.methods_locked_at is 'Since when no payment method and no API key can be added; null when they can.';
comment on column merchants.methods_locked_by is 'Who locked, as the audit names them.';

create table method_changes (
  id bigint generated always as identity primary key,
  code text collate "C" not null unique,
  merchant_account_id bigint not null references merchants (id),
  store_id bigint not null,
  kind text not null check (kind in ('wallet', 'exchange-account')),
  network text collate "C" not null,
  family text not null,
  address text not null check (length(address) <= 100),
  secret_id bigint references secrets (id),
  base_url text check (length(base_url) <= 300),
  key_hint text check (length(key_hint) <= 10),
  bound_to_addresses boolean,
  is_sub_account boolean,
  key_expires_at timestamptz,
  requested_by text not null check (length(requested_by) <= 200),
  requested_at timestamptz not null,
  effective_at timestamptz not null,
  state text not null check (state in ('pending', 'applied', 'cancelled', 'locked', 'removed', 'failed')),
  decided_by text check (length(decided_by) <= 200),
  decided_at timestamptz,
  fault text check (length(fault) <= 100),
  foreign key (store_id, merchant_account_id) references stores (id, merchant_account_id),
  check ((kind = 'wallet') = (secret_id is null)),
  check (secret_id is null or num_nulls(base_url, key_hint, bound_to_addresses, is_sub_account) = 0),
  check ((state = 'pending') = (decided_at is null)),
  check ((state = 'pending') = (decided_by is null)),
  check ((state = 'failed') = (fault is not null))
);
create unique index method_changes_waiting on method_changes (store_id, network) where state = 'pending';
create index method_changes_due on method_changes (effective_at, id) where state = 'pending';
create index method_changes_waiting_of_merchant on method_changes (merchant_account_id, id) where state = 'pending';
create index method_changes_of_merchant on method_changes (merchant_account_id, requested_at);
create index method_changes_of_store on method_changes (store_id, id);
comment on table method_changes is 'Payment methods that wait to be added to a live store, and what became of them.';
comment on column method_changes.address is 'Where money would land: an address, or the id of an exchange account.';
comment on column method_changes.secret_id is 'The sealed key of an exchange account.';
comment on column method_changes.requested_by is 'Who asked, as the audit names them.';
comment on column method_changes.state is 'pending until decided; applied: the store receives there; cancelled: taken back; locked: stopped by a lock; removed: ended by a removal on the same network; failed: could not be applied when its time came.';
comment on column method_changes.fault is 'Why it could not be applied.';

-- expand
-- The sandbox: test stores receive on networks of their own, where test payers pay and fail on purpose.

alter table receiving_addresses drop constraint receiving_addresses_family_check;
alter table receiving_addresses add constraint receiving_addresses_family_check
  check (family in ('evm', 'tron', 'solana', 'sandbox') or family like 'EXCHANGE\_PAY:%') not valid;

-- A test invoice may be moved into the past, beyond the moment at which it was made. Test invoices cost no fee: an
-- invoice that costs one still ends after it was made.
alter table invoices drop constraint invoices_check;
alter table invoices add constraint invoices_check check (expires_at > created_at or fee_micro_usd = 0) not valid;

alter table followed_accounts add column stopped_at timestamptz, add column stop_reason text;
comment on column followed_accounts.stopped_at is 'Since when nothing settles and nothing is covered here: the payment of a completed invoice is gone. Only accounts of the sandbox are stopped here.';

create table test_faults (
  store_id bigint primary key references stores (id),
  outage_until timestamptz not null default '-infinity',
  webhooks_fail_until timestamptz not null default '-infinity',
  prices_gone_until timestamptz not null default '-infinity'
);
comment on table test_faults is 'Faults that a test store has asked for. They concern nobody else.';
comment on column test_faults.outage_until is 'Until then nobody can read the store''s accounts in the sandbox.';
comment on column test_faults.webhooks_fail_until is 'Until then attempts at the store''s webhooks fail without being sent.';
comment on column test_faults.prices_gone_until is 'Until then no method can be chosen for want of a price.';

create table sandbox_accounts (
  network text collate "C" not null check (network like 'sandbox:%'),
  account text collate "C" not null,
  height bigint not null default 0,
  changes bigint not null default 0,
  primary key (network, account)
);
comment on table sandbox_accounts is 'Addresses of test stores that were paid or read.';
comment on column sandbox_accounts.height is 'The highest height, in unix milliseconds, that a test payment was given or a read has reached: the next payment comes above it.';
comment on column sandbox_accounts.changes is 'Raised by everything that a reader must see.';

create table sandbox_transfers (
  id bigint generated always as identity primary key,
  network text collate "C" not null,
  account text collate "C" not null,
  invoice_id bigint not null references invoices (id),
  tx_id text not null,
  token text not null,
  from_address text not null,
  units numeric(78) not null check (units > 0 and units < 'Infinity'),
  height bigint not null,
  block_hash text not null,
  paid_at timestamptz not null,
  final boolean not null,
  gone boolean not null default false,
  unique (network, account, height),
  unique (tx_id),
  foreign key (network, account) references sandbox_accounts (network, account)
);
create index sandbox_transfers_by_invoice on sandbox_transfers (invoice_id, id);
comment on table sandbox_transfers is 'What test payers paid: the sandbox''s chains.';
comment on column sandbox_transfers.height is 'Unix milliseconds of the moment when it was included, or a little more.';
comment on column sandbox_transfers.paid_at is 'The time of its block, which moves into the past with its invoice.';
comment on column sandbox_transfers.final is 'False while its confirmation is delayed.';
comment on column sandbox_transfers.gone is 'A reorganisation has taken it out of its chain.';

create table sandbox_acts (
  id bigint generated always as identity primary key,
  store_id bigint not null references stores (id),
  invoice_id bigint references invoices (id),
  act jsonb not null,
  asked_at timestamptz not null,
  due_at timestamptz not null,
  tries smallint not null default 0,
  done_at timestamptz,
  outcome jsonb
);
create index sandbox_acts_due on sandbox_acts (due_at) where done_at is null;
create index sandbox_acts_by_store on sandbox_acts (store_id, id) where done_at is null;
create index sandbox_acts_by_invoice on sandbox_acts (invoice_id, id);
create index sandbox_acts_done on sandbox_acts (done_at) where done_at is not null;
comment on table sandbox_acts is 'What a worker does for a test store: payments, faults, and time that passes.';
comment on column sandbox_acts.invoice_id is 'Null for a fault, which concerns the whole store.';
comment on column sandbox_acts.act is 'What is to be done, as sandbox/act.ts describes it.';
comment on column sandbox_acts.tries is 'How often it could not be done because another transaction held what it needs.';
comment on column sandbox_acts.outcome is 'What was done, or why it could not be.';

-- Test stores from before the sandbox get their addresses.
with networks (chain) as (
  values ('BSC'), ('ETH'), ('TRC20'), ('SOL'), ('POLYGON'), ('ARBITRUM'), ('OPTIMISM'), ('BASE'), ('AVAX')
), places as (
  select s.id as store_id, s.merchant_account_id, 'sandbox:' || n.chain as network, 'test-' || lower(n.chain) || '-' || s.merchant_id as address
  from stores s cross join networks n where not s.live
), claimed as (
  insert into receiving_addresses (family, address, merchant_account_id, claimed_at)
  select 'sandbox', address, merchant_account_id, now() from places returning 1
)
insert into wallets (store_id, merchant_account_id, network, family, address, added_at)
select store_id, merchant_account_id, network, 'sandbox', address, now() from places order by store_id, network;

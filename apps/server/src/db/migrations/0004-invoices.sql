-- The product. No foreign keys on this hot path: the store id comes from admission and stores are never deleted.

create table invoices (
  id bigint generated always as identity primary key,
  store_id bigint not null,
  trans_id text collate "C" not null check (trans_id ~ '^TID-[A-Z0-9]{16}$'),
  request_id text collate "C",
  status text not null default 'waiting' check (status in ('waiting', 'processing', 'completed', 'expired')),
  amount_usd numeric(15, 8) not null check (amount_usd > 0 and amount_usd <= 1000000),
  name text,
  description text,
  callback_url text,
  completed_url text,
  expired_url text,
  created_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > created_at),
  fee_micro_usd bigint not null check (fee_micro_usd >= 0),
  quote_id bigint,
  transaction_hash text,
  from_address text,
  callback_status text check (callback_status in ('success', 'failed')),
  constraint invoices_settled_by check (
    (status = 'completed') = (transaction_hash is not null) and (transaction_hash is null) = (from_address is null)
  )
);
create unique index invoices_trans_id on invoices (trans_id);
create unique index invoices_request_id on invoices (store_id, request_id) where request_id is not null;
comment on table invoices is 'Never partitioned by time: request_id must stay unique and trans_id findable for ever.';
comment on column invoices.request_id is 'The order id of the merchant, compared byte for byte.';
comment on column invoices.fee_micro_usd is 'Fixed at creation; held then, captured at completion, released at expiry.';
comment on column invoices.quote_id is 'The quote shown: the latest until completion, then the paid one.';
comment on column invoices.callback_status is 'Of the completed event: null until its first attempt has ended.';

create table quotes (
  id bigint generated always as identity primary key,
  invoice_id bigint not null references invoices (id),
  network text not null,
  token text not null,
  to_address text not null,
  token_amount numeric not null check (token_amount > 0 and token_amount < 'infinity'),
  token_price_usd numeric not null check (token_price_usd > 0 and token_price_usd < 'infinity'),
  created_at timestamptz not null
);
create index quotes_by_invoice on quotes (invoice_id, id);
comment on table quotes is 'One selection of token and network by the customer.';

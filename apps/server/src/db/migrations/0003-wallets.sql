-- Where money lands. Never a private key.

create table receiving_addresses (
  family text not null check (family in ('evm', 'tron', 'solana')),
  address text collate "C" not null,
  merchant_account_id bigint not null references merchants (id),
  claimed_at timestamptz not null,
  primary key (family, address),
  unique (family, address, merchant_account_id)
);
comment on table receiving_addresses is 'An address belongs to one merchant, whichever networks of its family it is used on.';

create table wallets (
  id bigint generated always as identity primary key,
  store_id bigint not null,
  merchant_account_id bigint not null,
  network text not null,
  family text not null,
  address text collate "C" not null,
  added_at timestamptz not null,
  removed_at timestamptz,
  foreign key (store_id, merchant_account_id) references stores (id, merchant_account_id),
  foreign key (family, address, merchant_account_id) references receiving_addresses (family, address, merchant_account_id)
);
create unique index wallets_in_use on wallets (store_id, network, address) where removed_at is null;
comment on table wallets is 'A store receives on a network at an address of its merchant.';
comment on column wallets.added_at is 'Money that arrived before cannot be attached.';

-- How a store looks to its customers.

create table logos (
  hash text collate "C" primary key check (hash ~ '^[0-9a-f]{64}$'),
  extension text not null check (extension in ('png', 'jpg', 'webp')),
  bytes bytea not null check (octet_length(bytes) <= 65536)
);
comment on table logos is 'Pictures by the SHA-256 of their bytes. Never changed: browsers keep them for ever.';

create table brands (
  store_id bigint primary key references stores (id),
  display_name text,
  accent text check (accent ~ '^#[0-9a-f]{6}$'),
  logo_hash text collate "C" references logos (hash)
);
comment on table brands is 'What the checkout page shows of a store. Without a row: its name alone.';
comment on column brands.accent is '#rrggbb; the page chooses black or white on it by contrast.';

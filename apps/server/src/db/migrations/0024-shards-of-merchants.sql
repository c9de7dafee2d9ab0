-- expand
-- A merchant has one shard and its stores have the same: what moves between cells is a merchant.

alter table merchants add column shard text not null
  default substr('ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', 1 + floor(random() * 36)::integer, 1) check (shard ~ '^[A-Z0-9]$');
comment on column merchants.shard is 'Drawn once; its stores, and so their keys and invoice codes, have the same. By default drawn here, for versions that drew one per store.';
-- Merchants are few: thousands in a cell. One that has stores already goes on with the shard of its first.
update merchants m set shard = s.shard
from (select distinct on (merchant_account_id) merchant_account_id, shard from stores order by merchant_account_id, id) s
where s.merchant_account_id = m.id;

-- Every waiting state has a way out: invoices with a payment that stands are decided again, and a person may vouch for one.

create table expired_pending (
  invoice_id bigint primary key
);
comment on table expired_pending is 'Expired invoices with a payment that stands in a chain, counts, and is not settled: a worker decides them again until it is, or is gone.';
-- Also those of before; reason is null for a payment that counts.
insert into expired_pending (invoice_id)
  select distinct i.id from invoices i join transfers t on t.invoice_id = i.id
  where i.status = 'expired' and t.canonical and t.reason is null;

create index invoices_processing on invoices (id) where status = 'processing';

alter table transfers add column accepted_by text;
comment on column transfers.accepted_by is 'The person who vouched for it, because no receipt proved or disproved it. Void when settled_hash is not block_hash.';

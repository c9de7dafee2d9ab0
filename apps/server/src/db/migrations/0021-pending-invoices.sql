-- What waits for a payment to settle is decided again whatever held it back, so a list of what a freeze held back is not needed.

create table expired_pending (
  invoice_id bigint primary key
);
comment on table expired_pending is 'Expired invoices with a payment that stands in a chain, counts, and is not settled: a worker decides them again until it is, or is gone.';
-- Also those of before; reason is null for a payment that counts.
insert into expired_pending (invoice_id)
  select distinct i.id from invoices i join transfers t on t.invoice_id = i.id
  where i.status = 'expired' and t.canonical and t.reason is null;

drop table frozen_decisions;

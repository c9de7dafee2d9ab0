-- Every waiting state has a way out: what was judged while a network was frozen, payments that are gone, and a person's word.

create table frozen_decisions (
  network text collate "C" not null,
  invoice_id bigint not null,
  primary key (network, invoice_id)
);
comment on table frozen_decisions is 'Invoices with a payment that was judged while its network was frozen. A worker decides them again once it is not, and forgets them.';
-- Also those that were judged so before this table was: reason is null for a payment that came in time.
insert into frozen_decisions (network, invoice_id)
  select distinct t.network, i.id from invoices i join transfers t on t.invoice_id = i.id
  where i.status in ('processing', 'expired') and t.canonical and t.reason is null;

create index invoices_processing on invoices (id) where status = 'processing';

alter table transfers add column accepted_by text;
comment on column transfers.accepted_by is 'The person who vouched for it, because no receipt proved or disproved it. Void when settled_hash is not block_hash.';

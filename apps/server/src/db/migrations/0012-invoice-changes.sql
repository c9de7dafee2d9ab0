-- What viewers of the checkout page are woken by, and money that did not match.

create unlogged table invoice_changes (
  xid xid8 not null default pg_current_xact_id(),
  invoice_id bigint not null
);
create index invoice_changes_by_xid on invoice_changes (xid, invoice_id);
comment on table invoice_changes is
  'Invoices whose view changed, by transaction; kept for minutes. Unlogged: after a crash every viewer is read anew.';
comment on column invoice_changes.xid is
  'Not a serial number: a transaction that began early may commit late, and nobody may skip it.';

create index transfers_meant_for on transfers (quote_id) where invoice_id is null and quote_id is not null;
comment on column transfers.quote_id is
  'The quote that it pays; without an invoice, the only one near its amount, which it was probably meant for.';

-- What viewers of the checkout page are woken by.

create unlogged table invoice_changes (
  xid xid8 not null default pg_current_xact_id(),
  invoice_id bigint not null
);
create index invoice_changes_by_xid on invoice_changes (xid, invoice_id);
comment on table invoice_changes is
  'Invoices whose view changed, by transaction; kept for minutes. Unlogged: after a crash every viewer is read anew.';
comment on column invoice_changes.xid is
  'Not a serial number: a transaction that began early may commit late, and nobody may skip it.';

-- When an invoice ends, its quotes and amounts are updated once, in columns that no index has. With room on the page the
-- new row stays there and no index is touched.

alter table quotes set (fillfactor = 85);
alter table amount_slots set (fillfactor = 90);

-- Completed invoices whose payment left the chain: what keeps a network frozen.

create table reverted_payments (
  network text not null references chains (network),
  invoice_id bigint not null references invoices (id),
  reverted_at timestamptz not null,
  primary key (network, invoice_id)
);
comment on table reverted_payments is 'Completed invoices whose payment left the chain; while one is here its network stays frozen.';
comment on column reverted_payments.network is 'Where the payment was.';
comment on column reverted_payments.invoice_id is 'The invoice that stays completed.';
comment on column reverted_payments.reverted_at is 'When it was noticed.';

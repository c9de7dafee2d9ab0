-- What a customer was asked to pay, where, and which amounts are taken.

alter table stores add column grace_minutes integer not null default 0 check (grace_minutes between 0 and 1440);
comment on column stores.grace_minutes is 'An exact payment this late still completes by itself, while its amount rests.';

alter table quotes
  add column display_units bigint not null check (display_units > 0),
  add column finality text not null,
  add column price_sources jsonb not null,
  add column held_from timestamptz not null,
  add column held_to timestamptz not null default 'infinity';
create unique index quotes_once_per_method on quotes (invoice_id, network, token);
create index quotes_by_amount on quotes (network, token, to_address, display_units, held_from);
comment on column quotes.display_units is 'The exact amount, in units of the digits that a payer is shown.';
comment on column quotes.finality is 'The rule that settles it, fixed when it was made: conf:12, age:60, safe or finalized.';
comment on column quotes.price_sources is 'What each source said and when.';
comment on column quotes.held_from is 'The amount belongs to this quote from here to held_to: late money has one owner.';

create table amount_slots (
  network text collate "C" not null,
  token text collate "C" not null,
  address text collate "C" not null,
  display_units bigint not null,
  quote_id bigint not null,
  held_until timestamptz not null default 'infinity',
  primary key (network, token, address, display_units)
);
comment on table amount_slots is 'Two open quotes never share network, token, address and amount. Taken over once held_until has passed: no sweeper.';

alter table invoices
  add column gate_network text collate "C",
  add column gate_tier text collate "C",
  add column late boolean not null default false,
  add column settled_at timestamptz,
  add column paid_transfer_id bigint;
create index invoices_by_gate on invoices (gate_network, gate_tier, expires_at) where status = 'waiting';
create unique index invoices_paid_by on invoices (paid_transfer_id) where paid_transfer_id is not null;
comment on column invoices.gate_network is 'The first network it was quoted on that is not yet read past its end; null when nothing was selected.';
comment on column invoices.late is 'It was completed by money that came or was found after its end.';

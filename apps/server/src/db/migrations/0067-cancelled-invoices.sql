-- expand
-- A merchant cancels an invoice that nobody has paid. Only a worker ends invoices: the API and the dashboard leave a request.

alter table invoices add column cancelled_at timestamptz, add column cancelled_by text;
comment on column invoices.cancelled_at is 'When its merchant cancelled it, rounded up to the second: payments with a later block time do not count. Null for all others.';
comment on column invoices.cancelled_by is 'Who cancelled it, as the audit names them.';

create table cancel_requests (
  invoice_id bigint primary key references invoices (id),
  store_id bigint not null,
  requested_by text not null check (length(requested_by) <= 200),
  requested_at timestamptz not null
);
comment on table cancel_requests is 'Requests to cancel an invoice, which a worker performs. It deletes the row when it has decided; the outcome is the invoice''s state.';
comment on column cancel_requests.store_id is 'The store of the invoice.';
comment on column cancel_requests.requested_by is 'Who requested it, as the audit names them.';

alter table store_days add column cancelled integer not null default 0;
comment on column store_days.cancelled is 'Invoices cancelled on the day. They are not counted as expired.';

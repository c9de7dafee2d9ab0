-- expand
-- What people decide at the dashboard about money that pays nothing. Only a worker attaches: the dashboard leaves a request.

create table attachments (
  id bigint generated always as identity primary key,
  code text collate "C" not null unique,
  merchant_account_id bigint not null,
  store_id bigint not null,
  transfer_id bigint not null references transfers (id),
  invoice_id bigint not null references invoices (id),
  asked_by text not null check (length(asked_by) <= 200),
  asked_at timestamptz not null,
  state text not null default 'asked' check (state in ('asked', 'done', 'refused', 'failed')),
  fault text check (length(fault) <= 100),
  decided_at timestamptz,
  tries smallint not null default 0,
  next_try_at timestamptz not null,
  foreign key (store_id, merchant_account_id) references stores (id, merchant_account_id),
  check ((state = 'asked') = (decided_at is null)),
  check ((state in ('refused', 'failed')) = (fault is not null))
);
create unique index attachments_asked on attachments (transfer_id) where state = 'asked';
create index attachments_due on attachments (next_try_at, id) where state = 'asked';
create index attachments_of_transfer on attachments (transfer_id, id);
create index attachments_of_merchant on attachments (merchant_account_id, asked_at);
comment on table attachments is 'Requests of members to attach a transfer to an invoice, which a worker performs, and what became of them. Kept for ever: people make them one by one.';
comment on column attachments.store_id is 'The store of the invoice.';
comment on column attachments.asked_by is 'Who asked, as the audit names them.';
comment on column attachments.state is 'asked until a worker has decided; done: attached; refused: a rule forbids it; failed: the tries are used up.';
comment on column attachments.fault is 'The code of the refusal, or of what failed.';
comment on column attachments.tries is 'How often a worker tried and could not decide.';
comment on column attachments.next_try_at is 'Not to be tried before.';

create table dismissed_transfers (
  transfer_id bigint not null references transfers (id),
  merchant_account_id bigint not null references merchants (id),
  note text not null check (length(note) <= 500),
  dismissed_by text not null check (length(dismissed_by) <= 200),
  dismissed_at timestamptz not null,
  primary key (merchant_account_id, transfer_id)
);
comment on table dismissed_transfers is 'Transfers that a merchant''s members have put aside as not theirs to match. Such a transfer is hidden from lists and otherwise as before.';
comment on column dismissed_transfers.note is 'Why, in the words of whoever dismissed it.';
comment on column dismissed_transfers.dismissed_by is 'Who dismissed it, as the audit names them.';

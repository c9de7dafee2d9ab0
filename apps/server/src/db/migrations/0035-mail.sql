-- expand
-- Mails to people: invitations, confirmations of addresses, notices.

create table mails (
  id bigint generated always as identity primary key,
  template text not null check (length(template) between 1 and 64),
  language text not null check (length(language) between 2 and 16),
  to_address text not null check (length(to_address) between 3 and 254),
  data jsonb not null,
  state text not null check (state in ('queued', 'sent', 'failed', 'unsent', 'dropped')),
  created_at timestamptz not null,
  decided_at timestamptz,
  attempts integer not null default 0 check (attempts >= 0),
  last_error text check (length(last_error) <= 500),
  check ((state = 'queued') = (decided_at is null))
);
comment on table mails is 'Every mail that was asked for, and what became of it. A job sends it.';
comment on column mails.data is 'Ids by which the facts of the mail are found when it is sent: no text, no secret, no link.';
comment on column mails.state is 'queued until decided; sent: the mail server took it; failed: refused for good, or its tries are used up; unsent: no mail server was configured; dropped: no longer wanted when its turn came.';
comment on column mails.attempts is 'How often it was given to the mail server. More than one can have arrived: a worker may die after the server took it.';
comment on column mails.last_error is 'Why the last attempt failed, as the mail server or the connection said.';

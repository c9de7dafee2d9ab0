-- expand
-- Whether email is set up is a fact of the installation: processes without a mail server of their own queue emails too.

create table mail_setup (
  one boolean primary key default true check (one),
  confirmed_at timestamptz not null
);
comment on table mail_setup is 'One row: when a process with a mail server last ran. No row: email was never set up.';
comment on column mail_setup.confirmed_at is 'Written regularly by every worker and dashboard server that has a mail server. Emails are queued for seven days after it.';

-- expand
-- Fair shares: browsers in which a user has signed in have their own attempts, and emails are sent in turn.

create table devices (
  hash bytea not null check (length(hash) = 32),
  person_id bigint not null references people (id),
  used_at timestamptz not null,
  primary key (hash, person_id)
);
create index devices_of_person on devices (person_id, used_at);
create index devices_used on devices (used_at);
comment on table devices is 'Browsers in which a user has signed in, by the hash of a token that the browser keeps. It signs nobody in: it has a budget of sign-in attempts of its own.';
comment on column devices.used_at is 'When the user last signed in there. Devices are forgotten 180 days later.';

alter table mails add column share text check (length(share) <= 64);
alter table mails add column merge_key text check (length(merge_key) <= 160);
alter table mails add column merged integer not null default 0;
create index mails_waiting on mails (share) where state = 'queued' and share is not null;
create unique index mails_merging on mails (merge_key) where state = 'queued' and merge_key is not null;
comment on column mails.share is 'The merchant or person that the email counts for: those of several are sent in turn.';
comment on column mails.merge_key is 'Set for an email that waits to be sent for several reasons at once; there is one of a key in the queue.';
comment on column mails.merged is 'How many more emails this one stands for.';

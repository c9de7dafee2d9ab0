-- expand
-- Browsers in which a user has signed in: guesses of others use up no attempts there.

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

-- expand
-- Credentials that were replaced are kept sealed for seven days, so that a takeover can be undone.

create table earlier_credentials (
  id bigint generated always as identity primary key,
  person_id bigint not null references people (id),
  changed text not null check (changed in ('address', 'password', 'factors')),
  kept_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  purpose text not null,
  ring_key_id text references key_ring_keys (id),
  sealed bytea,
  abandoned_at timestamptz,
  check ((ring_key_id is null) = (sealed is null)),
  check ((sealed is null) = (ended_at is not null or abandoned_at is not null))
);
create index earlier_credentials_of_person on earlier_credentials (person_id, id) where ended_at is null;
create index earlier_credentials_expired on earlier_credentials (expires_at);
create index earlier_credentials_by_ring_key on earlier_credentials (ring_key_id, id);
comment on table earlier_credentials is 'The email address, password hash and two-factor methods of a person, as they were before a change of one of them.';
comment on column earlier_credentials.changed is 'What the change replaced, added or removed.';
comment on column earlier_credentials.ended_at is 'When these or older ones were restored; null until then.';
comment on column earlier_credentials.purpose is 'Bound into the seal: the person and the time of the change.';

create table credential_restores (
  id bigint generated always as identity primary key,
  person_id bigint not null references people (id),
  earlier_id bigint not null references earlier_credentials (id) on delete cascade,
  asked_at timestamptz not null,
  address text not null check (length(address) <= 64),
  agent text not null check (length(agent) <= 200),
  effective_at timestamptz not null,
  stopped_at timestamptz,
  applied_at timestamptz,
  check (stopped_at is null or applied_at is null)
);
create unique index credential_restores_open on credential_restores (person_id) where stopped_at is null and applied_at is null;
create index credential_restores_of_earlier on credential_restores (earlier_id);
create index credential_restores_due on credential_restores (effective_at) where stopped_at is null and applied_at is null;
comment on table credential_restores is 'Restores of earlier credentials that were requested without an earlier two-factor method. They wait, so that both email addresses can stop them.';
comment on column credential_restores.address is 'The IP address that the request came from.';

alter table challenges drop constraint challenges_purpose_check;
alter table challenges add constraint challenges_purpose_check
  check (purpose in ('sign-in', 'factor', 'step-up', 'register', 'undo'));
comment on column challenges.session_hash is 'The session that asked, or the undo link; null before somebody has signed in.';

alter table link_tokens drop constraint link_tokens_purpose_check;
alter table link_tokens
  add column earlier_id bigint references earlier_credentials (id) on delete cascade,
  add column restore_id bigint references credential_restores (id) on delete cascade,
  add constraint link_tokens_purpose_check check (purpose in (
    'set-password', 'verify', 'change-mail', 'keep-factors', 'lock-methods', 'invitation', 'undo', 'stop-restore'
  )),
  add constraint link_tokens_of_its_earlier check ((purpose = 'undo') = (earlier_id is not null)),
  add constraint link_tokens_of_its_restore check ((purpose = 'stop-restore') = (restore_id is not null));
create index link_tokens_of_earlier on link_tokens (earlier_id) where earlier_id is not null;
create index link_tokens_of_restore on link_tokens (restore_id) where restore_id is not null;
comment on column link_tokens.earlier_id is 'The credentials that an undo link goes back to; it does nothing once these or older ones were restored.';

-- An undo link locks the payment methods of all merchants of its person, also of those that they were removed from.
create or replace function linked_merchants() returns bigint[]
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(array_agg(l.id), '{}') from (
    select i.merchant_account_id as id from invitations i
    where i.token_hash = decode(current_setting('counterfoil.link', true), 'hex')
    union
    select i.merchant_account_id from link_tokens t join invitations i on i.id = t.invitation_id
    where t.hash = decode(current_setting('counterfoil.link', true), 'hex')
    union
    select t.merchant_account_id from link_tokens t
    where t.hash = decode(current_setting('counterfoil.link', true), 'hex') and t.merchant_account_id is not null
    union
    select m.merchant_account_id from link_tokens t join memberships m on m.person_id = t.person_id
    where t.hash = decode(current_setting('counterfoil.link', true), 'hex') and t.purpose = 'undo' and t.used_at is null
    union
    select f.merchant_account_id from link_tokens t join former_owners f on f.person_id = t.person_id
    where t.hash = decode(current_setting('counterfoil.link', true), 'hex') and t.purpose = 'undo' and t.used_at is null) l
$$;

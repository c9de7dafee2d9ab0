-- expand
-- Sign-ups, changes of mail addresses, resets of factors, and the links in mails about all of them.

alter table challenges drop constraint challenges_purpose_check;
alter table challenges add constraint challenges_purpose_check check (purpose in ('sign-in', 'factor', 'step-up', 'register'));

alter table invitations add column mail_id bigint;
comment on column invitations.token_hash is 'The hash of the token that whoever invited was shown. Mailed links have tokens of their own, in link_tokens.';
comment on column invitations.mail_id is 'The mail that tells the invited person; its row says whether it was sent.';

create table sign_ups (
  id bigint generated always as identity primary key,
  mail_normal text collate "C" not null check (length(mail_normal) <= 254),
  mail_shown text not null check (length(mail_shown) <= 254),
  name text not null check (length(name) between 1 and 100),
  language text not null check (language in ('en', 'es', 'zh', 'ar')),
  password_hash text not null check (length(password_hash) <= 300),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index sign_ups_expired on sign_ups (expires_at);
comment on table sign_ups is 'People who asked to sign up. They become people when they follow the link that is mailed to their address; until then the address is not taken.';
comment on column sign_ups.ended_at is 'When it became a person, or could no longer become one.';

create table address_changes (
  id bigint generated always as identity primary key,
  person_id bigint not null references people (id),
  mail_normal text collate "C" not null check (length(mail_normal) <= 254),
  mail_shown text not null check (length(mail_shown) <= 254),
  requested_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  done_at timestamptz,
  check (done_at is null or ended_at is not null)
);
create unique index address_changes_open on address_changes (person_id) where ended_at is null;
create index address_changes_expired on address_changes (expires_at);
comment on table address_changes is 'New mail addresses that people asked for. An address is theirs when they follow the link that is mailed to it.';
comment on column address_changes.ended_at is 'When it was done, or another one took its place.';

create table factor_resets (
  id bigint generated always as identity primary key,
  person_id bigint not null references people (id),
  requested_by bigint references people (id),
  reason text not null check (length(reason) between 1 and 300),
  requested_at timestamptz not null,
  effective_at timestamptz not null,
  stopped_at timestamptz,
  applied_at timestamptz,
  check (stopped_at is null or applied_at is null)
);
create unique index factor_resets_open on factor_resets (person_id) where stopped_at is null and applied_at is null;
comment on table factor_resets is 'Removals of all second factors of a person who has lost them. They wait, so that the person can stop a false one.';
comment on column factor_resets.requested_by is 'An owner of a merchant of the person; null for an operator, whom the audit names.';
comment on column factor_resets.effective_at is 'From then on the next sign-in by password removes the factors.';

-- The other owners of all merchants of a person, who are told when the person's factors are to be reset. Whoever asks for it
-- belongs to one of these merchants only.
create function owners_around(person bigint) returns setof bigint
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select distinct o.person_id
  from memberships m
  join memberships o on o.merchant_account_id = m.merchant_account_id and o.role = 'owner' and o.person_id <> m.person_id
  join people p on p.id = o.person_id and p.disabled_at is null
  where m.person_id = person
$$;

alter table link_tokens drop constraint link_tokens_purpose_check;
alter table link_tokens
  alter column person_id drop not null,
  add column merchant_account_id bigint references merchants (id),
  add column sign_up_id bigint references sign_ups (id) on delete cascade,
  add column address_change_id bigint references address_changes (id) on delete cascade,
  add column invitation_id bigint references invitations (id),
  add column factor_reset_id bigint references factor_resets (id),
  add constraint link_tokens_purpose_check
    check (purpose in ('set-password', 'verify', 'change-mail', 'keep-factors', 'lock-methods', 'invitation')),
  add constraint link_tokens_of_its_sign_up check ((purpose = 'verify') = (sign_up_id is not null)),
  add constraint link_tokens_of_its_change check ((purpose = 'change-mail') = (address_change_id is not null)),
  add constraint link_tokens_of_its_invitation check ((purpose = 'invitation') = (invitation_id is not null)),
  add constraint link_tokens_of_its_reset check ((purpose = 'keep-factors') = (factor_reset_id is not null)),
  add constraint link_tokens_of_its_person check ((purpose in ('verify', 'invitation')) = (person_id is null));
create index link_tokens_of_sign_up on link_tokens (sign_up_id) where sign_up_id is not null;
create index link_tokens_of_address_change on link_tokens (address_change_id) where address_change_id is not null;
comment on table link_tokens is 'Links that somebody can follow once, by the hash of the token in the link. A mail that is sent twice has two.';
comment on column link_tokens.person_id is 'The person whom the link is about; null while it is not yet one.';
comment on column link_tokens.merchant_account_id is 'The merchant that the link is about; null for links about the person.';
comment on column link_tokens.factor_reset_id is 'The reset that the link stops; it stops no later one of the same person.';

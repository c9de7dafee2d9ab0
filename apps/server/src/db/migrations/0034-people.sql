-- expand
-- People who sign in to the dashboard: who they are, how they prove it, and what they may do for which merchant.

alter table merchants add column code text collate "C" not null
  default 'ACC-' || upper(substr(encode(sha256((random()::text || clock_timestamp()::text)::bytea), 'hex'), 1, 16));
create unique index merchants_code on merchants (code);
comment on column merchants.code is 'The public code of the merchant, as the dashboard''s addresses show it.';

create table people (
  id bigint generated always as identity primary key,
  code text collate "C" not null unique,
  mail_normal text collate "C" not null unique check (length(mail_normal) <= 254),
  mail_shown text not null check (length(mail_shown) <= 254),
  name text not null check (length(name) between 1 and 100),
  language text not null check (language in ('en', 'es', 'zh', 'ar')),
  password_hash text check (length(password_hash) <= 300),
  password_set_at timestamptz,
  verified_at timestamptz,
  disabled_at timestamptz,
  operator_role text check (operator_role in ('operator', 'support')),
  created_at timestamptz not null,
  check ((password_hash is null) = (password_set_at is null))
);
comment on table people is 'People who can sign in to the dashboard.';
comment on column people.mail_normal is 'The mail address in the form that is compared: two people never have the same.';
comment on column people.mail_shown is 'The mail address as the person wrote it, to which mail is sent.';
comment on column people.verified_at is 'When the person proved that they receive mail at this address.';
comment on column people.operator_role is 'Null for people of merchants. An operator changes everything, support only looks.';

create table passkeys (
  id bigint generated always as identity primary key,
  person_id bigint not null references people (id),
  credential_id bytea not null unique check (length(credential_id) <= 1024),
  public_key bytea not null check (length(public_key) <= 4096),
  sign_count bigint not null check (sign_count >= 0),
  transports text[] not null default '{}',
  backed_up boolean not null,
  name text not null check (length(name) between 1 and 60),
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_of_person on passkeys (person_id, id);
comment on table passkeys is 'Public halves of the keys that devices of people hold.';
comment on column passkeys.sign_count is 'The highest count of uses that the device has told; a lower one means a copied key.';

create table challenges (
  hash bytea primary key,
  purpose text not null check (purpose in ('sign-in', 'step-up', 'register')),
  session_hash bytea,
  expires_at timestamptz not null
);
create index challenges_expired on challenges (expires_at);
comment on table challenges is 'Random values that a passkey must sign, each used once.';
comment on column challenges.session_hash is 'The session that asked; null before somebody has signed in.';

create table totp (
  person_id bigint primary key references people (id),
  secret_id bigint references secrets (id),
  confirmed_at timestamptz,
  pending_secret_id bigint references secrets (id),
  last_step bigint not null default 0,
  check ((secret_id is null) = (confirmed_at is null))
);
comment on table totp is 'Authenticator apps: one for each person.';
comment on column totp.pending_secret_id is 'The secret of a new app that proves nothing until the person has typed its first code; the old app is good until then.';
comment on column totp.last_step is 'The thirty-second step of the last accepted code. Only later steps are accepted.';

create table recovery_codes (
  person_id bigint not null references people (id),
  hash bytea not null,
  used_at timestamptz,
  primary key (person_id, hash)
);
comment on table recovery_codes is 'Codes that stand once for a lost second factor.';

create table sessions (
  hash bytea primary key,
  code text collate "C" not null unique,
  person_id bigint not null references people (id),
  proof text not null check (proof in ('password', 'totp', 'recovery', 'passkey')),
  half boolean not null,
  created_at timestamptz not null,
  seen_at timestamptz not null,
  idle_until timestamptz not null,
  absolute_until timestamptz not null,
  elevated_until timestamptz,
  address text not null check (length(address) <= 64),
  agent text not null check (length(agent) <= 200),
  revoked_at timestamptz
);
create index sessions_of_person on sessions (person_id, created_at) where revoked_at is null;
create index sessions_ended on sessions (absolute_until);
comment on table sessions is 'People who are signed in, by the hash of the token that their browser keeps.';
comment on column sessions.half is 'The password was right and the second factor is still missing: good for nothing else.';
comment on column sessions.elevated_until is 'Until then the session may do dangerous things, because its person has proven again who they are.';

create table link_tokens (
  hash bytea primary key,
  purpose text not null check (purpose in ('set-password', 'verify')),
  person_id bigint not null references people (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index link_tokens_of_person on link_tokens (person_id, created_at);
create index link_tokens_expired on link_tokens (expires_at);
comment on table link_tokens is 'Links that a person can follow once, by the hash of the token in the link.';

create table memberships (
  merchant_account_id bigint not null references merchants (id),
  person_id bigint not null references people (id),
  role text not null check (role in ('owner', 'admin', 'developer', 'finance', 'viewer')),
  all_stores boolean not null default true,
  since timestamptz not null,
  primary key (merchant_account_id, person_id)
);
create index memberships_of_person on memberships (person_id, merchant_account_id);
comment on table memberships is 'Which people belong to which merchants, and as what.';
comment on column memberships.all_stores is 'False for a member of the stores in membership_stores only.';

create table membership_stores (
  merchant_account_id bigint not null,
  person_id bigint not null,
  store_id bigint not null references stores (id),
  primary key (merchant_account_id, person_id, store_id),
  foreign key (merchant_account_id, person_id) references memberships (merchant_account_id, person_id) on delete cascade
);
comment on table membership_stores is 'The stores of a member who has not all of them.';

create table invitations (
  id bigint generated always as identity primary key,
  code text collate "C" not null unique,
  merchant_account_id bigint not null references merchants (id),
  mail_normal text collate "C" not null check (length(mail_normal) <= 254),
  mail_shown text not null check (length(mail_shown) <= 254),
  role text not null check (role in ('owner', 'admin', 'developer', 'finance', 'viewer')),
  token_hash bytea not null unique,
  invited_by bigint not null references people (id),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  opened_at timestamptz,
  ended_at timestamptz,
  accepted_by bigint references people (id),
  check (accepted_by is null or ended_at is not null)
);
create unique index invitations_open on invitations (merchant_account_id, mail_normal) where ended_at is null;
comment on table invitations is 'People who were asked to become members of a merchant.';
comment on column invitations.mail_normal is 'Whoever accepts must have this mail address.';
comment on column invitations.ended_at is 'When it was accepted or taken back. An invitation that is too old is ended by its expires_at.';

create table attempt_budgets (
  subject text collate "C" primary key check (length(subject) <= 200),
  started_at timestamptz not null,
  used integer not null
);
create index attempt_budgets_started on attempt_budgets (started_at);
comment on table attempt_budgets is 'How many guesses were made at a secret in a window of time. A guess is counted before it is checked.';

create table security_events (
  at timestamptz not null,
  person_id bigint,
  kind text not null check (length(kind) <= 40),
  address text not null check (length(address) <= 64),
  agent text not null check (length(agent) <= 200)
) partition by range (at);
create table security_events_default partition of security_events default;
create index security_events_of_person on security_events (person_id, at);
comment on table security_events is 'Sign-ins that succeeded and failed, and what people did to their own factors.';
comment on column security_events.person_id is 'Null where nobody has the mail address that was tried.';

-- Monthly partitions of security events are made with the others.
create or replace function make_partitions(month date) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp set timezone = 'UTC' set lock_timeout = '500ms' as $$
declare
  parent record;
  first_day date;
  next_month date;
  partition text;
  strayed boolean;
begin
  -- Needed, because two that make the same partition at once fail each other. Earlier versions take the same lock.
  perform pg_advisory_xact_lock(790275);
  for parent in
    select * from (values ('ledger_entries', 'period', true), ('attempts', 'at', false), ('security_events', 'at', false))
      as p (name, key, append_only)
  loop
    for ahead in 0..3 loop
      first_day := date_trunc('month', month) + make_interval(months => ahead);
      next_month := first_day + interval '1 month';
      partition := format('%s_%s', parent.name, to_char(first_day, 'YYYY_MM'));
      continue when to_regclass(format('public.%I', partition)) is not null;
      -- Rows of a month that came before its partition stay in the default one: to make it then would fail.
      execute format('select exists (select from public.%I where %I >= %L and %I < %L)', parent.name || '_default', parent.key,
        first_day, parent.key, next_month) into strayed;
      continue when strayed;
      execute format('create table public.%I partition of public.%I for values from (%L) to (%L)', partition, parent.name,
        first_day, next_month);
      -- Row triggers are inherited, those on truncate are not.
      if parent.append_only then
        execute format('create trigger %I before truncate on public.%I for each statement execute function public.refuse_change()',
          partition || '_never_emptied', partition);
      end if;
    end loop;
  end loop;
end $$;

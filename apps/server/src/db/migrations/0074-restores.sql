-- expand
-- What an operator declares after a restore: since when data is lost, and which amounts may be quoted until lost quotes are over.

create table restores (
  id bigint generated always as identity primary key,
  lost_since timestamptz not null,
  began_at timestamptz not null,
  began_by text not null
);
comment on table restores is 'Restores of this database that operators have declared. The number of a restore is its epoch.';

alter table database_confirmation add column reserved_until timestamptz not null default '-infinity';
alter table database_confirmation add column stopped_until timestamptz not null default '-infinity';
comment on column database_confirmation.reserved_until is 'Until when only the reserved quarter of amounts is quoted: any other may belong to a quote that a restore lost.';
comment on column database_confirmation.stopped_until is 'Until when nothing is quoted: a second restore may have lost quotes with reserved amounts.';

alter table recovery_codes add column suspended_at timestamptz;
comment on column recovery_codes.suspended_at is 'When a restore suspended the code, which may have been used in the lost time. A sign-in with another two-factor method ends it.';

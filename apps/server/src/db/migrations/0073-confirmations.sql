-- expand
-- A restored database does not know what it lost. Each worker keeps a mark outside of the database and counts it here too;
-- amounts are quoted only while a worker has compared both on this run of the server.

create table database_marks (
  folder text primary key check (folder ~ '^[0-9a-f-]{36}$'),
  sequence bigint not null check (sequence > 0),
  marked_at timestamptz not null
) with (fillfactor = 50);
comment on table database_marks is 'How far each state folder of workers has counted. A folder that has counted further than its row proves that the database went back.';
comment on column database_marks.folder is 'Id of a state folder, which its mark has too.';

create table database_confirmation (
  one boolean primary key default true check (one),
  server_started_at timestamptz,
  table_oid bigint,
  valid_until timestamptz not null default '-infinity',
  accepted_server_started_at timestamptz,
  accepted_table_oid bigint,
  accepted_by text check (accepted_by in ('migration', 'operator')),
  went_back_at timestamptz
) with (fillfactor = 50);
comment on table database_confirmation is 'Whether a worker has compared its mark with this database, in one row. Quotes need a valid confirmation.';
comment on column database_confirmation.server_started_at is 'Start of the server on which the confirmation was written: neither a recovery nor a standby has the same.';
comment on column database_confirmation.table_oid is 'This table''s own oid at that time: a copy of the rows in another database has another.';
comment on column database_confirmation.accepted_by is 'Who accepted this database without a mark on the named run of the server: the migration that made this table, or an operator.';
comment on column database_confirmation.went_back_at is 'When a worker found that the database is older than its mark; null once an operator has decided.';

insert into database_confirmation (accepted_server_started_at, accepted_table_oid, accepted_by)
values (pg_postmaster_start_time(), 'database_confirmation'::regclass::oid::bigint, 'migration');

-- expand
-- A process whose pg-boss does not support the job tables keeps its jobs here, and a worker whose pg-boss does sends them.

create table waiting_jobs (
  id bigint generated always as identity primary key,
  name text not null check (length(name) between 1 and 64),
  data jsonb not null,
  priority integer not null,
  start_after timestamptz not null,
  created_at timestamptz not null default now()
);
comment on table waiting_jobs is 'Jobs of processes whose pg-boss does not support the version of the job tables. A worker whose pg-boss supports it sends them.';
comment on column waiting_jobs.data is 'Ids only, as in every job.';
comment on column waiting_jobs.start_after is 'The job is not done before this time.';

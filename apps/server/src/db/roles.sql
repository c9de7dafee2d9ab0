-- Creates the roles and gives the tables to their owner. Run by `main-migrate --roles`, as a superuser or as the owner
-- of the database with the right to create roles; safe to repeat. No role can log in until an operator allows it.

do $$
declare
  role text;
  object text;
begin
  foreach role in array array['counterfoil_owner', 'counterfoil_api', 'counterfoil_worker', 'counterfoil_admin',
    'counterfoil_dashboard', 'counterfoil_views'] loop
    if not exists (select from pg_roles where rolname = role) then
      execute format('create role %I nologin nosuperuser nocreatedb nocreaterole noreplication nobypassrls', role);
    end if;
  end loop;

  -- The user that creates the owner role may act for it: to hand tables over and to migrate.
  if not pg_has_role(current_user, 'counterfoil_owner', 'usage') then
    execute format('grant counterfoil_owner to %I', current_user);
  end if;

  execute format('revoke temporary on database %I from public', current_database());
  execute format(
    'grant connect on database %I to counterfoil_owner, counterfoil_api, counterfoil_worker, counterfoil_admin, '
      'counterfoil_dashboard, counterfoil_views',
    current_database()
  );
  revoke create on schema public from public;
  grant usage, create on schema public to counterfoil_owner;
  grant usage on schema public to counterfoil_api, counterfoil_worker, counterfoil_admin, counterfoil_dashboard, counterfoil_views;

  -- The schema of jobs: only pg-boss's own statements make tables in it, as the owner role.
  if not exists (select from pg_namespace where nspname = 'pgboss') then
    create schema pgboss authorization counterfoil_owner;
  elsif (select nspowner from pg_namespace where nspname = 'pgboss') <> 'counterfoil_owner'::regrole then
    alter schema pgboss owner to counterfoil_owner;
  end if;

  -- Tables, types and functions of a database from before the roles belong to whoever migrated it.
  for object in
    select format('table %s', c.oid::regclass) from pg_class c
    where c.relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace) and c.relkind in ('r', 'p')
      and c.relowner <> 'counterfoil_owner'::regrole
    union all
    select format('function %s', p.oid::regprocedure) from pg_proc p
    where p.pronamespace in ('public'::regnamespace, 'pgboss'::regnamespace) and p.proowner <> 'counterfoil_owner'::regrole
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union all
    select format('type %s', t.oid::regtype) from pg_type t
    where t.typnamespace = 'pgboss'::regnamespace and t.typtype = 'e' and t.typowner <> 'counterfoil_owner'::regrole
  loop
    execute format('alter %s owner to counterfoil_owner', object);
  end loop;
end $$;

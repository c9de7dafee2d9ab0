-- expand
-- Which versions can still run on this schema.

alter table schema_migrations add column compatible_from integer;
comment on column schema_migrations.compatible_from is 'The oldest version, named by the newest migration that it knows, that runs on the schema from here on.';

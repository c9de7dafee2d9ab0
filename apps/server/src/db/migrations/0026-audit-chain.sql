-- expand
-- The audit chain is keyed by a sealed secret. Entries are written unchained, by processes that cannot open it too; workers that can
-- link them afterwards.

alter table audit_entries alter column previous_hash drop not null, alter column hash drop not null;
comment on table audit_entries is 'Every change a person made. Append-only; audit_links chains them.';
comment on column audit_entries.previous_hash is 'Of entries from before the chain was keyed.';
comment on column audit_entries.hash is 'Of entries from before the chain was keyed: a plain hash over the one before it. Null since.';

create table audit_links (
  position bigint primary key check (position > 0),
  entry_id bigint not null unique references audit_entries (id),
  secret_id bigint not null,
  chained_until bigint not null,
  previous_hash bytea not null check (length(previous_hash) = 32),
  hash bytea not null check (length(hash) = 32)
);
comment on table audit_links is 'The chain of audit entries, append-only. An entry without a link waits for a worker that can open the secret.';
comment on column audit_links.secret_id is 'The sealed secret that keyed the hash. Not a foreign key: a secret that is lost may go, its links stay.';
comment on column audit_links.chained_until is 'Every entry up to this one is chained. The entry that begins a chain is linked before older ones that wait.';
comment on column audit_links.previous_hash is 'Zeros where a chain begins: its entry says why, and names the head of the chain before it.';
comment on column audit_links.hash is 'HMAC-SHA-256 over the hash before it, the link and its entry.';

create trigger audit_links_append_only before update or delete on audit_links
  for each row execute function refuse_change();
create trigger audit_links_never_emptied before truncate on audit_links
  for each statement execute function refuse_change();

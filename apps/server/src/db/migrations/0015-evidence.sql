-- Who read what, when and how: presence is proven by a receipt, absence by two questions that are apart in time.

alter table transfers
  add column read_by text,
  add column read_how text,
  add column proven_by text,
  add column proven_how text,
  add column proven_at timestamptz,
  add column settled_tier text collate "C",
  add column settled_hash text collate "C",
  add column explained boolean not null default true;
comment on column transfers.read_by is 'The provider that showed it first; seen_at says when.';
comment on column transfers.read_how is 'What that provider was asked: logs, blocks, receipt, balances or account.';
comment on column transfers.proven_by is 'The provider that confirmed it.';
comment on column transfers.proven_how is 'What that provider was asked.';
comment on column transfers.proven_at is 'When it was confirmed.';
comment on column transfers.settled_tier is 'The rule that it was proven for by itself; it settles without waiting for coverage of everything around it.';
comment on column transfers.settled_hash is 'The block that it was proven in: the mark is void when block_hash is another.';
comment on column transfers.explained is 'False while it waits to be told why it matches no amount.';

alter table chains add column rewinds bigint not null default 0;
comment on column chains.rewinds is 'Raised whenever blocks are undone: whoever read before compares it inside its commit.';

alter table chain_blocks add column kept boolean not null default false;
comment on column chain_blocks.kept is 'One a minute is kept for 72 hours: a range that is read again must lie below a header that we held then.';

create index chain_blocks_passing on chain_blocks (network, height) where not kept;
create index chain_blocks_kept on chain_blocks (network, height) where kept;

create table chain_reads (
  network text collate "C" not null references chains (network),
  height bigint not null,
  hash text not null,
  read_at timestamptz not null default clock_timestamp(),
  read_by text,
  primary key (network, height)
);
comment on table chain_reads is 'Where first reads ended, and when: a second read covers only what was read first long enough ago. Kept until every tier has covered it.';
comment on column chain_reads.read_at is 'In database time.';
comment on column chain_reads.read_by is 'The provider that answered; null when it is not known.';
insert into chain_reads (network, height, hash) select network, height, hash from chains where hash <> '';

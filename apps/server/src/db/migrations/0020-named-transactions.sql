-- Transactions that somebody names: what no read shows, coins above all, is looked for there.

create table named_transactions (
  invoice_id bigint not null,
  network text collate "C" not null,
  tx_id text collate "C" not null,
  store_id bigint not null,
  named_by text not null check (named_by in ('payer', 'merchant', 'operator')),
  named_at timestamptz not null default clock_timestamp(),
  tries integer not null default 0,
  next_try_at timestamptz not null default clock_timestamp(),
  height bigint,
  ended_at timestamptz,
  outcome text check (outcome in ('found', 'known', 'nothing', 'failed', 'out-of-window', 'pruned', 'ambiguous', 'untraceable', 'unanswered')),
  primary key (invoice_id, network, tx_id),
  check ((ended_at is null) = (outcome is null))
);
create index named_transactions_due on named_transactions (network, next_try_at) where ended_at is null;
create index named_transactions_waiting on named_transactions (store_id) where ended_at is null;
create index named_transactions_by_tx on named_transactions (network, tx_id);
comment on table named_transactions is 'One request for an invoice and a transaction that somebody named: a worker reads that transaction and records what it paid to the addresses of the invoice.';
comment on column named_transactions.next_try_at is 'In database time; the distance doubles with every try, up to ten minutes.';
comment on column named_transactions.height is 'Where the transaction stands, once it is known: nothing is asked before every tier is covered up to there.';
comment on column named_transactions.outcome is 'found: recorded. known: recorded before. nothing: it paid none of the addresses. pruned, ambiguous, untraceable: coins may have come through a contract, and no provider can tell. unanswered: no provider answered in all tries.';

alter table transfers add column named_by text check (named_by in ('payer', 'merchant', 'operator'));
comment on column transfers.named_by is 'Who named its transaction, where no read of a range showed these coins. They take no part in comparing reads and pay nothing until a person attaches them. Null once a read shows them.';
comment on column transfers.read_how is 'What that provider was asked: logs, blocks, receipt, trace, balances or account.';
comment on column transfers.reason is 'Why it pays nothing: short, over, wrong_token, unknown, late, already_paid, or named (nothing is wrong with it, and only a person may decide); null when it pays.';

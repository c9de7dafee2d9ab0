import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FOLDERS } from './folder-order.ts';

/** Folder that owns each table. Folders to the right may read it; other writes are listed below. */
const OWNERS: Record<string, readonly string[]> = {
  audit: ['alarms', 'audit_entries', 'audit_links'],
  confirmations: ['database_confirmation', 'database_marks'],
  secrets: ['key_ring_holders', 'key_ring_keys', 'sealing_key', 'secrets'],
  jobs: ['waiting_jobs'],
  mail: ['mail_setup', 'mails'],
  ledger: ['balances', 'ledger_entries'],
  merchants: ['merchants', 'plans'],
  people: [
    'address_changes',
    'attempt_budgets',
    'challenges',
    'credential_restores',
    'devices',
    'earlier_credentials',
    'factor_resets',
    'former_owners',
    'invitations',
    'link_tokens',
    'membership_stores',
    'memberships',
    'operator_views',
    'passkeys',
    'people',
    'recovery_codes',
    'security_events',
    'sessions',
    'sign_ups',
    'totp',
  ],
  stores: ['admissions', 'api_key_days', 'api_keys', 'brands', 'logos', 'stores', 'test_faults', 'webhook_secrets'],
  wallets: [
    'exchange_accounts',
    'method_changes',
    'platform_pauses',
    'receiving_addresses',
    'wallets',
    'watch_versions',
  ],
  prices: ['price_history', 'price_reports'],
  quotes: ['amount_slots', 'quotes'],
  webhooks: ['attempts', 'deliveries', 'endpoints', 'events', 'webhook_endpoint_secrets', 'webhook_endpoints'],
  transfers: ['transfers'],
  chains: ['chain_blocks', 'chain_coverage', 'chain_reads', 'chains'],
  accounts: ['account_demands', 'followed_accounts', 'unreadable_transactions'],
  topups: ['topups'],
  invoices: [
    'attachments',
    'cancel_requests',
    'dismissed_transfers',
    'event_checks',
    'expired_pending',
    'invoice_changes',
    'invoices',
    'named_transactions',
    'reverted_payments',
    'store_positions',
  ],
  days: ['counted_days', 'store_days'],
  notices: ['notice_settings', 'notices'],
  alerts: ['alerts'],
  restores: ['restores'],
  sandbox: ['sandbox_accounts', 'sandbox_acts', 'sandbox_transfers'],
  exports: ['export_chunks', 'exports'],
};

const WRITES: Record<string, string> = {
  'accounts/account-proof-sql.ts transfers': 'marks what was seen as final where the transfer is',
  'accounts/account-sql.ts chain_coverage':
    'the coverage of followed accounts stands beside that of chains: expiry asks both alike',
  'accounts/account-sql.ts chains': 'the head of a network that is read by accounts stands where all heads do',
  'accounts/statement-sql.ts transfers':
    'marks what a platform calls final, and what its statement lacks, where the transfer is',
  'chains/chain-sql.ts reverted_payments':
    'a network that is thawed forgets the reverted payments that froze it, in one transaction',
  'chains/proof-sql.ts transfers': 'marks what a receipt proved where the transfer is',
  'chains/rescan-sql.ts transfers': 'marks what a rescan confirmed where the transfer is',
  'invoices/change-invoice-sql.ts amount_slots': 'the amounts of an invoice are quarantined in the commit that ends it',
  'invoices/change-invoice-sql.ts exchange_accounts':
    'an exchange account goes on in the commit that restores its last lost payment',
  'invoices/change-invoice-sql.ts quotes': 'the windows of its quotes close in the commit that ends an invoice',
  'invoices/change-invoice-sql.ts transfers': 'a payment is marked as settled in the commit that completes its invoice',
  'invoices/doubted-transfer-sql.ts transfers': 'keeps who vouched for a transfer',
  'invoices/explain-sql.ts quotes': 'notes at a quote that its customer is asked about a transfer',
  'invoices/explain-sql.ts transfers': 'keeps why a transfer pays nothing',
  'invoices/inbox-sql.ts transfers': 'keeps which invoice a person attached a transfer to',
  'invoices/match-sql.ts transfers': 'keeps which quote and invoice a transfer pays',
  'invoices/new-invoice-sql.ts balances':
    'an invoice, its hold and its ledger entry are one statement: a create takes two round trips',
  'invoices/new-invoice-sql.ts ledger_entries': 'an invoice, its hold and its ledger entry are one statement',
  'invoices/change-invoice-sql.ts followed_accounts':
    'an account of the sandbox goes on in the commit that restores its last lost payment',
  'merchants/own-merchant-sql.ts people': 'one statement grants the fee trial of a user once',
  'people/requested-change-sql.ts method_changes':
    'the pending changes of a requester end in the commit that removes, demotes or disables them',
  'sandbox/test-invoice-sql.ts amount_slots': 'the times of a test invoice move into the past together',
  'sandbox/test-invoice-sql.ts invoices': 'the times of a test invoice move into the past together',
  'sandbox/test-invoice-sql.ts quotes': 'the times of a test invoice move into the past together',
  'sandbox/test-invoice-sql.ts transfers': 'the times of a test invoice move into the past together',
  'wallets/exchange-account-sql.ts account_demands':
    'an exchange account that is added again is demanded in the commit that adds it',
  'webhooks/attempt-sql.ts invoices': 'callback_status changes with the attempt, in one statement',
};

/** Reads of tables that belong to a folder to the right, with the reason. */
const READS: Record<string, string> = {
  'confirmations/confirmation-sql.ts invoices': 'a database without invoices has no quotes that could be lost',
  'invoices/match-sql.ts sandbox_transfers':
    'where time has passed for a test invoice, two quotes may own an amount, and the payer meant one',
  'ledger/ledger-sql.ts invoices': 'the check of the ledger compares holds with invoices',
  'ledger/ledger-sql.ts topups': 'the check of the ledger compares credits with top-ups',
  'merchants/plan-sql.ts stores': 'plans are listed with their number of stores',
  'people/requested-change-sql.ts method_changes':
    'whether a member may be removed depends on the pending changes of payment methods',
  'topups/topup-sql.ts invoices': 'a top-up is credited for an invoice with its code and amount at the right store',
  'transfers/named-transfer-sql.ts chain_coverage':
    'a named transaction is recorded only below what every tier has covered',
  'transfers/owning-quote-sql.ts invoices':
    'a transfer pays a quote only if the store of its invoice may be paid on the network',
  'wallets/exchange-account-sql.ts amount_slots': 'an exchange account that is added again is demanded for its amounts',
  'webhooks/attempt-list-sql.ts invoices': 'attempts are listed by the code of their invoice',
  'webhooks/event-view-sql.ts invoices': 'an event is shown with the code of its invoice',
};

const SOURCE = join(import.meta.dirname, '../src');
const ownerOf = new Map(Object.entries(OWNERS).flatMap(([folder, tables]) => tables.map((table) => [table, folder])));
const WRITTEN =
  /\b(?:insert into|update|delete from|merge into|truncate)\s+(?:only\s+|table\s+)?"?(\w+)|\b(?:insertInto|updateTable|deleteFrom|mergeInto)\('(\w+)/gi;
const READ =
  /(?:\b(?:from|join|using)|,)\s+(?:only\s+)?(\w+)(?=\s+(?:as\s+)?[a-z]\w*[\s,)`]|\s*[)`,]|\s+where)|\b(?:selectFrom|\w+Join)\('(\w+)/g;

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter(
    (path) =>
      path.endsWith('-sql.ts') ||
      (path.startsWith('db/') && path.endsWith('.ts') && !path.endsWith('.test.ts') && path !== 'db/tables.ts'),
  )
  .map((path) => ({ path, text: readFileSync(join(SOURCE, path), 'utf8') }));

const folderOf = (path: string) => path.split('/')[0] ?? '';
const placeOf = (folder: string) => FOLDERS.indexOf(folder);

/** All tables that a pattern finds, as `path table`. */
function uses(pattern: RegExp): string[] {
  const found = files.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)]
      .map((match) => match[1] ?? match[2] ?? '')
      .filter((table) => ownerOf.has(table))
      .map((table) => `${path} ${table}`),
  );
  return [...new Set(found)].toSorted();
}

const tableOf = (use: string) => use.split(' ')[1] ?? '';
const ownerOfUse = (use: string) => ownerOf.get(tableOf(use)) ?? '';

test('every table has an owner', () => {
  const schema = readFileSync(join(SOURCE, 'db/schema.sql'), 'utf8');
  const tables = [...schema.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map((match) => match[1] ?? '');
  const owned = tables.filter((table) => table !== 'schema_migrations');
  expect(owned.toSorted()).toEqual([...ownerOf.keys()].toSorted());
});

test('a folder writes only its own tables, but for exceptions with a reason', () => {
  const foreign = uses(WRITTEN).filter((use) => folderOf(use) !== ownerOfUse(use));
  expect(foreign).toEqual(Object.keys(WRITES).toSorted());
});

test('a folder reads only its own tables and those of folders to its left, but for exceptions with a reason', () => {
  const climbing = uses(READ).filter((use) => placeOf(folderOf(use)) < placeOf(ownerOfUse(use)));
  expect(climbing).toEqual(Object.keys(READS).toSorted());
});

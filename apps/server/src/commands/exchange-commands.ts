import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { rescanStatement } from '../accounts/rescan-statement.ts';
import { startExchangeAccount } from '../invoices/start-exchange-account.ts';
import type { ExchangeCredentials } from '../platforms/statement-source.ts';
import { storeForOperator } from '../stores/store-for-operator.ts';
import { addExchangeAccount } from '../wallets/add-exchange-account.ts';
import { checkExchangeAccount } from '../wallets/check-exchange-account.ts';
import type { ExchangeAccountRow } from '../wallets/exchange-account-sql.ts';
import { listExchangeAccounts } from '../wallets/exchange-account-sql.ts';
import { isOffered } from '../wallets/exchange-account.ts';
import { removeExchangeAccount } from '../wallets/remove-exchange-account.ts';
import { stopExchangeAccount } from '../wallets/stop-exchange-account.ts';
import { CommandError } from './command-error.ts';
import { command } from './command.ts';
import { hasReason, NO_REASON, orderFields, orderOf, orderOptions, showWaiting } from './method-commands.ts';
import { openStatementFollower } from './open-followers.ts';
import { openStatementSources } from './open-statement-sources.ts';
import type { OperatorContext } from './operator-context.ts';

/**
 * Commands about exchange accounts. Keys come from a file or standard input, never from the command line, which other
 * users can see.
 */

const PLATFORMS = 'ID      for example EXCHANGE_PAY:BINANCE';
const STANDARD_INPUT = '-';
const MAX_KEY_CHARACTERS = 4_096;

async function readKeyLines(file: string): Promise<ExchangeCredentials> {
  const content = await (file === STANDARD_INPUT ? text(process.stdin) : readFile(file, 'utf8')).catch(() => {
    throw new CommandError(`The key file ${file} cannot be read.`);
  });
  if (content.length > MAX_KEY_CHARACTERS) throw new CommandError('The key file is too long.');
  const [apiKey = '', apiSecret = '', passphrase = ''] = content.split('\n').map((line) => line.trim());
  if (!apiKey || !apiSecret)
    throw new CommandError(
      'A key file has the key on its first line, the secret on its second, a passphrase on its third.',
    );
  return { apiKey, apiSecret, ...(passphrase !== '' && { passphrase }) };
}

const addition = z
  .object({
    store: z.string(),
    platform: z.string(),
    'key-file': z.string(),
    'base-url': z.url().optional(),
    ...orderFields,
  })
  .refine(hasReason, NO_REASON);

const exchangeAdd = command<OperatorContext, typeof addition>('exchange add', {
  summary: 'Let a store receive in an exchange account, by a key that can only read. A new key replaces the old one.',
  options: {
    store: 'MERCHANT_ID',
    platform: PLATFORMS,
    'key-file': 'FILE       key, secret and passphrase on a line each; - reads standard input',
    'base-url': 'URL        only for keys of another region',
    ...orderOptions,
  },
  input: addition,
  run: async (context, { store: code, platform: network, 'key-file': file, 'base-url': baseUrl, ...order }) => {
    const credentials = await readKeyLines(file);
    const store = await storeForOperator(context, context.actor, code);
    const { jobs } = await context.outbox();
    const parts = { ...context, jobs, ring: await context.keyRing(), statements: await openStatementSources(context) };
    const asked = { store, network, baseUrl, credentials, now: orderOf(order) };
    const added = await addExchangeAccount(parts, context.actor, asked);
    return {
      store: code,
      platform: network,
      account: added.account,
      key: added.replaced ? 'replaced' : added.waiting ? 'waits' : 'added',
      ...showWaiting(added.waiting),
      bound_to_addresses: added.boundToAddresses,
      sub_account: added.isSubAccount,
      key_ends: added.keyExpiresAt,
      our_addresses: context.egressAddresses.length > 0 ? context.egressAddresses.join(', ') : 'not configured',
    };
  },
});

function describeState(one: ExchangeAccountRow, nowMs: number): string {
  if (one.removedAt !== null) return 'removed';
  if (one.stopped) return `stopped: ${one.stopReason}`;
  if (one.fault !== null) return `not offered: ${one.fault}`;
  return isOffered(one, nowMs) ? 'offered' : 'not offered: its key was not checked for 25 hours, or nears its end';
}

const storeChoice = z.object({ store: z.string() });

const exchangeList = command<OperatorContext, typeof storeChoice>('exchange list', {
  summary: 'The exchange accounts of a store and its merchant, and whether payers are offered them.',
  options: { store: 'MERCHANT_ID' },
  input: storeChoice,
  run: async (context, { store }) => {
    const { merchantAccountId } = await storeForOperator(context, context.actor, store);
    const accounts = await listExchangeAccounts(context.database.queries, merchantAccountId);
    return accounts.map((one) => ({
      platform: one.network,
      account: one.account,
      state: describeState(one, context.clock.nowMs()),
      key: `...${one.keyHint}`,
      base_url: one.baseUrl,
      checked: one.checkedAt,
      key_ends: one.keyExpiresAt,
      sub_account: one.isSubAccount,
      latest_row: one.latestRowMs === null ? 'none' : `${Math.round(one.latestRowMs / 1_000)} s after its time`,
    }));
  },
});

const accountChoice = z.object({ platform: z.string(), account: z.string() });
const accountOptions = { platform: PLATFORMS, account: 'ACCOUNT_ID' };

const exchangeCheck = command<OperatorContext, typeof accountChoice>('exchange check', {
  summary: 'Ask a platform now what the key of an account may do.',
  options: accountOptions,
  input: accountChoice,
  run: async (context, { platform: network, account }) => {
    const parts = { ...context, ring: await context.keyRing(), statements: await openStatementSources(context) };
    const checked = await checkExchangeAccount(parts, context.actor, { network, account });
    if ('unanswered' in checked) throw new CommandError(`${network} does not answer: ${checked.unanswered}`);
    return { platform: network, account, fault: checked.fault ?? 'none', key_ends: checked.keyExpiresAt };
  },
});

const rescan = accountChoice.extend({
  from: z.iso.datetime({ offset: true }).transform((written) => new Date(written)),
  reason: z.string().trim().min(1).max(500),
});

const exchangeRescan = command<OperatorContext, typeof rescan>('exchange rescan', {
  summary: 'Read the statement of an account again from a time on. Audited.',
  options: { ...accountOptions, from: 'TIME           for example 2026-11-15T00:00:00Z', reason: 'TEXT' },
  input: rescan,
  run: async (context, { platform: network, account, from, reason }) => {
    const follower = await openStatementFollower(context, network, await context.keyRing());
    const found = await rescanStatement({ ...context, follower }, context.actor, { account, from, reason });
    return { platform: network, account, rows: found.rows, changed: found.changed };
  },
});

const decision = accountChoice.extend({ reason: z.string().trim().min(1).max(500) });
const decisionOptions = { ...accountOptions, reason: 'TEXT         why, for the audit' };

const exchangeStop = command<OperatorContext, typeof decision>('exchange stop', {
  summary: 'Stop completions and expiry at an exchange account. Audited.',
  options: decisionOptions,
  input: decision,
  run: async (context, { platform: network, account, reason }) => {
    await stopExchangeAccount(context, context.actor, { network, account, reason });
    return { platform: network, account, stopped: true };
  },
});

const exchangeStart = command<OperatorContext, typeof decision>('exchange start', {
  summary: 'Continue at a stopped exchange account, although a completed invoice lost its payment there. Audited.',
  options: decisionOptions,
  input: decision,
  run: async (context, { platform: network, account, reason }) => {
    await startExchangeAccount(context, context.actor, { network, account, reason });
    return { platform: network, account, stopped: false };
  },
});

const exchangeRemove = command<OperatorContext, typeof decision>('exchange remove', {
  summary: 'Remove an exchange account: nothing is quoted there, and its invoices may expire unread. Audited.',
  options: decisionOptions,
  input: decision,
  run: async (context, { platform: network, account, reason }) => {
    await removeExchangeAccount(context, context.actor, { network, account, reason });
    return { platform: network, account, removed: true };
  },
});

export const exchangeCommands = [
  exchangeAdd,
  exchangeList,
  exchangeCheck,
  exchangeRescan,
  exchangeStart,
  exchangeStop,
  exchangeRemove,
];

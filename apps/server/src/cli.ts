import { userInfo } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError, readOperatorConfig } from './config.ts';
import { closeDatabase, openDatabase } from './db/database.ts';
import { requireCurrentSchema } from './db/migrate.ts';
import { invoiceCommands } from './invoices/invoice-commands.ts';
import { recheckCommands } from './invoices/recheck-commands.ts';
import { transferCommands } from './invoices/transfer-commands.ts';
import { ledgerCommands } from './ledger/ledger-commands.ts';
import { systemClock } from './lib/clock.ts';
import type { Command } from './lib/command.ts';
import { formatAnswer, jsonAnswer, parseOptions } from './lib/command.ts';
import { OperatorError } from './lib/errors.ts';
import { readKeyRing } from './secrets/key-ring.ts';
import type { OperatorContext } from './secrets/operator.ts';
import { registerKeyRing } from './secrets/register-key-ring.ts';
import { secretCommands } from './secrets/secret-commands.ts';
import { brandCommands } from './stores/brand-commands.ts';
import { storeCommands } from './stores/store-commands.ts';
import { accountCommands } from './transfers/account-commands.ts';
import { chainCommands } from './transfers/chain-commands.ts';
import { webhookCommands } from './webhooks/webhook-commands.ts';
import { walletCommands } from './wallets/wallet-commands.ts';

/** The operator's tool: finds the command, opens the database, prints the answer. */

const COMMANDS: Command<OperatorContext>[] = [
  ...storeCommands,
  ...brandCommands,
  ...walletCommands,
  ...invoiceCommands,
  ...chainCommands,
  ...accountCommands,
  ...recheckCommands,
  ...transferCommands,
  ...webhookCommands,
  ...ledgerCommands,
  ...secretCommands,
];

function overview(): string {
  const width = Math.max(...COMMANDS.map((one) => one.name.length));
  const lines = COMMANDS.map((one) => `  ${one.name.padEnd(width)}  ${one.summary}`);
  return [
    'usage: counterfoil NOUN VERB [--option value ...] [--json]',
    '',
    ...lines,
    '',
    'counterfoil NOUN VERB --help shows its options.',
  ].join('\n');
}

function help(one: Command<OperatorContext>): string {
  const lines = Object.entries(one.options).map(([name, meaning]) => `  --${name} ${meaning}`);
  return [`counterfoil ${one.name}`, one.summary, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
}

async function withContext<T>(use: (context: OperatorContext) => Promise<T>): Promise<T> {
  const config = readOperatorConfig();
  const database = openDatabase(
    { url: config.databaseUrl, connections: 2, name: 'counterfoil-cli', reports: true },
    () => {},
  );
  const keyRingFile = () => {
    if (!config.keyRingFile) throw new OperatorError('COUNTERFOIL_KEY_RING_FILE is not set.');
    return config.keyRingFile;
  };
  const keyRing = async () => {
    const ring = await readKeyRing(keyRingFile());
    await registerKeyRing(database.queries, ring);
    return ring;
  };
  try {
    await requireCurrentSchema(database.pool).catch((cause: unknown) => {
      if (cause instanceof OperatorError || !(cause instanceof Error)) throw cause;
      throw new OperatorError(`The database does not answer: ${cause.message}`);
    });
    const chainOf = (symbol: string) => config.chains.find(({ network }) => network.symbol === symbol);
    const chainUrls = (symbol: string) => chainOf(symbol)?.urls ?? [];
    const genesisHash = (symbol: string) => chainOf(symbol)?.genesisHash;
    const { username } = userInfo();
    const { sudoUser } = config;
    const actor =
      sudoUser === undefined || sudoUser === username ? `cli:${username}` : `cli:${sudoUser} as ${username}`;
    return await use({ database, clock: systemClock, actor, keyRingFile, keyRing, chainUrls, genesisHash, wait });
  } finally {
    await closeDatabase(database);
  }
}

async function main(words: readonly string[]): Promise<void> {
  const found = COMMANDS.find((one) => one.name === words.slice(0, 2).join(' '));
  if (!found) {
    console.log(overview());
    process.exitCode = words.length === 0 || words.includes('--help') ? 0 : 2;
    return;
  }
  const rest = words.slice(2);
  if (rest.includes('--help')) {
    console.log(help(found));
    return;
  }
  const values = parseOptions(found.options, rest);
  const answer = await withContext((context) => found.run(context, values));
  console.log(rest.includes('--json') ? jsonAnswer(answer) : formatAnswer(answer));
}

try {
  await main(process.argv.slice(2));
} catch (cause) {
  if (!(cause instanceof OperatorError || cause instanceof ConfigError)) throw cause;
  console.error(cause.message);
  process.exitCode = 1;
}

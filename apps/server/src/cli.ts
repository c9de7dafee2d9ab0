import { userInfo } from 'node:os';
import { CommandError } from './commands/command-error.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigError, readOperatorConfig } from './config.ts';
import { closeDatabase, openDatabase } from './db/database.ts';
import { requireCurrentSchema } from './db/migrate.ts';
import { requireRole } from './db/require-role.ts';
import type { Jobs } from './jobs/open-jobs.ts';
import { openJobs } from './jobs/open-jobs.ts';
import type { Operator } from './lib/actor.ts';
import { systemClock } from './lib/clock.ts';
import { createLog } from './lib/log.ts';
import { Refusal } from './lib/refusal.ts';
import { formatAnswer, jsonAnswer, parseOptions } from './commands/command.ts';
import { createNetworks } from './networks/networks.ts';
import { requireKeysInUse } from './secrets/key-ring-check.ts';
import { openKeyRing } from './secrets/key-ring.ts';
import { helpOf, OPERATOR_COMMANDS, overview } from './commands/operator-commands.ts';
import { wordRefusal } from './commands/refusal-words.ts';
import type { OperatorContext } from './commands/operator-context.ts';

/** The operator's command line: finds the command, opens the database, prints the answer. */

async function withContext<T>(use: (context: OperatorContext) => Promise<T>): Promise<T> {
  const config = readOperatorConfig();
  const settingsOnRole = !config.anyDatabaseRole;
  const database = openDatabase(
    { url: config.databaseUrl, connections: 2, name: 'counterfoil-cli', reports: true, settingsOnRole },
    () => {},
  );
  const requireFit = async () => {
    if (!config.anyDatabaseRole) await requireRole(database.pool, 'admin');
    await requireCurrentSchema(database.pool);
  };
  const keyRingFile = () => {
    if (!config.keyRingFile) throw new CommandError('COUNTERFOIL_KEY_RING_FILE is not set.');
    return config.keyRingFile;
  };
  const keyRing = async () => {
    const ring = await openKeyRing(keyRingFile());
    await requireKeysInUse(database.queries, ring);
    return ring;
  };
  let jobs: Jobs | undefined;
  const outbox = async () => {
    if (config.mailServer) jobs ??= await openJobs(database, createLog('silent'));
    return { clock: systemClock, jobs };
  };
  try {
    await requireFit().catch((cause: unknown) => {
      if (cause instanceof Refusal || !(cause instanceof Error)) throw cause;
      throw new CommandError(`The database does not answer: ${cause.message}`);
    });
    const chainOf = (symbol: string) => config.chains.find(({ network }) => network.id === symbol);
    const chainUrls = (symbol: string) => chainOf(symbol)?.urls ?? [];
    const genesisHash = (symbol: string) => chainOf(symbol)?.genesisHash;
    const { username } = userInfo();
    const { sudoUser } = config;
    const name = sudoUser === undefined || sudoUser === username ? username : `${sudoUser} as ${username}`;
    const actor: Operator = { kind: 'operator', name };
    const { shards } = config;
    const networks = createNetworks();
    const exchanges = { anyBaseUrl: config.privateCallbacks, egressAddresses: config.egressAddresses };
    const parts = {
      keyRingFile,
      keyRing,
      outbox,
      chainUrls,
      genesisHash,
      wait,
      ...(shards !== undefined && { shards }),
      ...(config.dashboardUrl !== undefined && { dashboardUrl: config.dashboardUrl }),
    };
    return await use({ database, clock: systemClock, networks, actor, ...parts, ...exchanges });
  } finally {
    await jobs?.close();
    await closeDatabase(database);
  }
}

async function main(words: readonly string[]): Promise<void> {
  const found = OPERATOR_COMMANDS.find((one) => one.name === words.slice(0, 2).join(' '));
  if (!found) {
    console.log(overview());
    process.exitCode = words.length === 0 || words.includes('--help') ? 0 : 2;
    return;
  }
  const rest = words.slice(2);
  if (rest.includes('--help')) {
    console.log(helpOf(found));
    return;
  }
  const values = parseOptions(found.options, rest);
  const answer = await withContext((context) => found.run(context, values));
  console.log(rest.includes('--json') ? jsonAnswer(answer) : formatAnswer(answer));
}

try {
  await main(process.argv.slice(2));
} catch (cause) {
  if (!(cause instanceof Refusal || cause instanceof CommandError || cause instanceof ConfigError)) throw cause;
  console.error(cause instanceof Refusal ? wordRefusal(cause) : cause.message);
  process.exitCode = 1;
}

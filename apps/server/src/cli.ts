import { userInfo } from 'node:os';
import { CommandError } from './commands/command-error.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { doctorCommand } from './commands/doctor-command.ts';
import { withDoctor } from './with-doctor.ts';
import { ConfigError } from './config/config-error.ts';
import { VARIABLES } from './config/environment.ts';
import { readOperatorConfig } from './config/read-operator-config.ts';
import { closeDatabase, openDatabase } from './db/database.ts';
import { requireCurrentSchema } from './db/migrate.ts';
import { requireRole } from './db/require-role.ts';
import type { Jobs } from './jobs/open-jobs.ts';
import { openJobs } from './jobs/open-jobs.ts';
import type { Operator } from './lib/actor.ts';
import { systemClock } from './lib/clock.ts';
import { createLog } from './lib/log.ts';
import { Refusal } from './lib/refusal.ts';
import type { Answer, Command } from './commands/command.ts';
import { formatAnswer, jsonAnswer, parseOptions } from './commands/command.ts';
import { configCommands } from './commands/config-commands.ts';
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

async function answer(
  one: Command<never>,
  words: readonly string[],
  run: (values: Record<string, string>) => Promise<Answer>,
): Promise<void> {
  if (words.includes('--help')) {
    console.log(helpOf(one));
    return;
  }
  const given = await run(parseOptions(one.options, words));
  console.log(words.includes('--json') ? jsonAnswer(given) : formatAnswer(given));
}

/** Runs the doctor, which also speaks where a process could not start. Its exit code says whether anything is wrong. */
async function examine(words: readonly string[]): Promise<void> {
  await answer(doctorCommand, words, async (values) => {
    const findings = await withDoctor((context) => doctorCommand.run(context, values));
    if (Array.isArray(findings) && findings.some(({ state }) => state === 'wrong')) process.exitCode = 1;
    return findings;
  });
}

async function main(words: readonly string[]): Promise<void> {
  const name = words.slice(0, 2).join(' ');
  const rest = words.slice(2);
  const found = OPERATOR_COMMANDS.find((one) => one.name === name);
  if (found) return answer(found, rest, (values) => withContext((context) => found.run(context, values)));
  if (words[0] === doctorCommand.name) return examine(words.slice(1));
  const plain = configCommands.find((one) => one.name === name);
  if (plain) return answer(plain, rest, (values) => plain.run({ variables: VARIABLES }, values));
  console.log(overview());
  process.exitCode = words.length === 0 || words.includes('--help') ? 0 : 2;
}

try {
  await main(process.argv.slice(2));
} catch (cause) {
  if (!(cause instanceof Refusal || cause instanceof CommandError || cause instanceof ConfigError)) throw cause;
  console.error(cause instanceof Refusal ? wordRefusal(cause) : cause.message);
  process.exitCode = 1;
}

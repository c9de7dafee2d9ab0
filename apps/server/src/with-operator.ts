import { setTimeout as wait } from 'node:timers/promises';
import { CommandError } from './commands/command-error.ts';
import { nameOperator } from './commands/name-operator.ts';
import type { OperatorContext } from './commands/operator-context.ts';
import { readOperatorConfig } from './config/read-operator-config.ts';
import type { Variables } from './config/setting.ts';
import { closeDatabase, openDatabase } from './db/database.ts';
import { requireCurrentSchema } from './db/migrate.ts';
import { requireOwnSession } from './db/require-own-session.ts';
import { requireRole } from './db/require-role.ts';
import { tlsRefusal } from './db/tls-fault.ts';
import type { Jobs } from './jobs/open-jobs.ts';
import { openJobs } from './jobs/open-jobs.ts';
import type { Operator } from './lib/actor.ts';
import { systemClock } from './lib/clock.ts';
import { createLog } from './lib/log.ts';
import { Refusal } from './lib/refusal.ts';
import { isMailSetUp } from './mail/mail-setup.ts';
import { createNetworks } from './networks/networks.ts';
import { requireKeysInUse } from './secrets/key-ring-check.ts';
import { openKeyRing } from './secrets/key-ring.ts';

/** Opens and closes the dependencies of operator commands. */
export async function withOperator<T>(variables: Variables, use: (context: OperatorContext) => Promise<T>): Promise<T> {
  const config = readOperatorConfig(variables);
  const settingsOnRole = !config.anyDatabaseRole;
  const database = openDatabase(
    { url: config.databaseUrl, connections: 2, name: 'counterfoil-cli', reports: true, settingsOnRole },
    () => {},
  );
  const requireFit = async () => {
    await requireOwnSession(database.pool);
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
    if (!jobs && (await isMailSetUp(database.queries, systemClock)))
      jobs = await openJobs(database, createLog('silent'));
    return { clock: systemClock, jobs };
  };
  try {
    await requireFit().catch((cause: unknown) => {
      if (cause instanceof Refusal || !(cause instanceof Error)) throw cause;
      throw tlsRefusal(cause) ?? new CommandError(`The database does not answer: ${cause.message}`);
    });
    const chainOf = (symbol: string) => config.chains.find(({ network }) => network.id === symbol);
    const chainUrls = (symbol: string) => chainOf(symbol)?.urls ?? [];
    const genesisHash = (symbol: string) => chainOf(symbol)?.genesisHash;
    const name = nameOperator({ uid: process.getuid?.(), sudoUser: config.sudoUser });
    const actor: Operator = { kind: 'operator', name };
    const { shards } = config;
    const networks = createNetworks();
    const { privateCallbacks, egressAddresses } = config;
    const outside = { privateCallbacks, anyBaseUrl: privateCallbacks, egressAddresses };
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
    return await use({ database, clock: systemClock, networks, actor, ...parts, ...outside });
  } finally {
    await jobs?.close();
    await closeDatabase(database);
  }
}

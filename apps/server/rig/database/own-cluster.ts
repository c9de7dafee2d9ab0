import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Database } from '../../src/db/database.ts';
import { closeDatabase, openDatabase } from '../../src/db/database.ts';
import type { KeyRing } from '../../src/secrets/key-ring.ts';
import { writeKeyRing } from '../../src/secrets/key-ring.ts';
import type { Template } from './template-database.ts';
import { copyTemplate, createTemplate, dropTemplate } from './template-database.ts';
import { retryWhileAway } from './retry-while-away.ts';

/**
 * A PostgreSQL server for one caller, who may restart this server: the shared server serves other callers at the same
 * time.
 */

export type Cluster = {
  restart(): Promise<void>;
  /** Runs `work` on a newly migrated database. */
  use<T>(work: (own: OwnDatabase) => Promise<T>): Promise<T>;
};

export type OwnDatabase = {
  url: string;
  database: Database;
  /** Settings with which a worker can send webhooks from this database. */
  settings(ring: KeyRing): Promise<Record<string, string>>;
};

const PORT = '54331';
const CONNECTIONS = 6;
const COMMAND = fileURLToPath(new URL('../../../../bin/postgres', import.meta.url));

const run = promisify(execFile);

async function control(action: 'start' | 'stop' | 'url'): Promise<string> {
  const { stdout } = await run(COMMAND, [action], { env: { ...process.env, COUNTERFOIL_LOCAL_POSTGRES_PORT: PORT } });
  return stdout.trim();
}

async function useDatabase<T>(template: Template, work: (own: OwnDatabase) => Promise<T>): Promise<T> {
  const { url, drop } = await copyTemplate(template, 'drill');
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-drill-'));
  const database = openDatabase({ url, connections: CONNECTIONS, name: 'counterfoil-drill' }, () => {});
  const settings = async (ring: KeyRing) => {
    const keyRingFile = join(folder, 'key-ring.json');
    await writeKeyRing(keyRingFile, ring);
    return { COUNTERFOIL_KEY_RING_FILE: keyRingFile, COUNTERFOIL_PRIVATE_CALLBACKS: 'allow' };
  };
  try {
    return await work({ url, database, settings });
  } finally {
    await closeDatabase(database);
    await rm(folder, { recursive: true });
    // The drop is repeated while the database server is away: another part of the drill may be restarting the server.
    await retryWhileAway(drop);
  }
}

export async function withCluster<T>(work: (cluster: Cluster) => Promise<T>): Promise<T> {
  // The database server is stopped first, because an interrupted earlier run may have left it running.
  await control('stop');
  await control('start');
  try {
    const template = await createTemplate(await control('url'));
    try {
      return await work({
        restart: async () => {
          await control('stop');
          await control('start');
        },
        use: (inside) => useDatabase(template, inside),
      });
    } finally {
      await dropTemplate(template);
    }
  } finally {
    await control('stop');
  }
}

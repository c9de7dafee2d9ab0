import type { TestStore } from '../stores/open-store.ts';
import type { EngineFixture } from './engine-fixture.ts';

/** Changes of rows that an operator or another process makes while a test runs. */

export async function removeWallets(engine: EngineFixture, store: TestStore): Promise<void> {
  await engine.database.pool.query('update wallets set removed_at = $1 where store_id = $2', [
    new Date(engine.clock.nowMs()),
    store.id,
  ]);
}

/** Runs `work` while a change is made but not committed: `work` must wait, and sees the change afterwards. */
export async function duringChange<Result>(
  engine: EngineFixture,
  statements: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  const client = await engine.database.pool.connect();
  try {
    await client.query('begin');
    for (const statement of statements) await client.query(statement);
    const working = work();
    for (let waiting = 0; waiting === 0;) {
      const { rowCount } = await client.query(
        `select from pg_locks l join pg_stat_activity a on a.pid = l.pid where not l.granted and a.datname = current_database()`,
      );
      waiting = rowCount ?? 0;
    }
    await client.query('commit');
    return await working;
  } finally {
    client.release();
  }
}

import pg from 'pg';
import { afterEach, expect, inject, test } from 'vitest';
import type { TcpProxy } from '../../rig/fakes/tcp-proxy.ts';
import { startTcpProxy } from '../../rig/fakes/tcp-proxy.ts';
import { temporaryName } from '../../rig/database/temporary-database.ts';
import { awaitDatabase } from './await-database.ts';

const DEFAULT_PORT = 5_432;

let proxies: TcpProxy[] = [];
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.stop()));
  proxies = [];
});

/** A log that keeps its lines. */
function keepLines() {
  const lines: string[] = [];
  return { lines, log: { warn: (_facts: unknown, line?: string) => void lines.push(line ?? '') } };
}

const poolAt = (change: (url: URL) => void) => {
  const url = new URL(inject('adminUrl'));
  change(url);
  return new pg.Pool({ connectionString: url.href });
};

/** A port where nothing listens. */
async function findClosedPort(): Promise<number> {
  const proxy = await startTcpProxy(1);
  await proxy.stop();
  return proxy.port;
}

test('a process waits until its database accepts a connection, and says so once', async () => {
  const proxy = await startTcpProxy(Number(new URL(inject('adminUrl')).port) || DEFAULT_PORT);
  proxies.push(proxy);
  proxy.cut();
  const pool = poolAt((url) => {
    url.port = String(proxy.port);
  });
  const { lines, log } = keepLines();
  let rests = 0;
  await awaitDatabase(pool, log, {
    clock: { nowMs: () => 0 },
    rest: async () => {
      rests += 1;
      if (rests === 3) proxy.mend();
    },
  });
  expect(rests).toBe(3);
  expect(lines).toEqual(['waiting for the database']);
  await pool.end();
});

test('a process waits while the server has no free connection', async () => {
  const role = temporaryName('full');
  const admin = poolAt(() => {});
  await admin.query(`create role ${role} login connection limit 0`);
  const pool = poolAt((url) => {
    url.username = role;
  });
  const { lines, log } = keepLines();
  let rests = 0;
  const rest = async () => {
    rests += 1;
    if (rests === 2) await admin.query(`alter role ${role} connection limit 1`);
  };
  await awaitDatabase(pool, log, { clock: { nowMs: () => 0 }, rest });
  expect(rests).toBe(2);
  expect(lines).toEqual(['waiting for the database']);
  await pool.end();
  await admin.query(`drop role ${role}`);
  await admin.end();
});

test('a process gives up after a minute', async () => {
  const port = await findClosedPort();
  const pool = poolAt((url) => {
    url.port = String(port);
  });
  const { lines, log } = keepLines();
  let nowMs = 0;
  const waiting = awaitDatabase(pool, log, {
    clock: { nowMs: () => nowMs },
    rest: async (ms) => {
      nowMs += ms;
    },
  });
  await expect(waiting).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(nowMs).toBe(60_000);
  expect(lines).toHaveLength(1);
  await pool.end();
});

test('a process does not wait for a database that the server does not have', async () => {
  const pool = poolAt((url) => {
    url.pathname = '/there_is_no_such_database';
  });
  const { lines, log } = keepLines();
  await expect(awaitDatabase(pool, log)).rejects.toMatchObject({ code: '3D000' });
  expect(lines).toEqual([]);
  await pool.end();
});

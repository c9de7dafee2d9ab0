import { chmod, copyFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { callRpc } from '../../rig/chains/json-rpc.ts';
import { deadUrl, closeServer, listen } from '../../rig/fakes/listen.ts';
import { roleUrl } from '../../rig/database/role-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import { startApi } from '../../rig/processes/server-process.ts';
import { periodOf } from '../../src/db/partition-sql.ts';
import { judgeDisk } from '../../src/doctor/examine-disk.ts';
import type { DoctorContext } from '../../src/doctor/run-doctor.ts';
import { runDoctor } from '../../src/doctor/run-doctor.ts';
import { createManualClock, systemClock } from '../../src/lib/clock.ts';
import type { HealthyInstance } from './healthy-instance.ts';
import { bscAt, startBsc, startHealthyInstance } from './healthy-instance.ts';

/** The doctor against a healthy installation, and against one with a fault of each kind. */

let healthy: HealthyInstance;
beforeAll(async () => {
  healthy = await startHealthyInstance(inject('template'));
}, 60_000);
afterAll(() => healthy.close());

async function complaints(changes: Partial<DoctorContext> = {}): Promise<string[]> {
  const findings = await runDoctor({ ...healthy.context, ...changes });
  return findings.filter(({ state }) => state !== 'fine').map(({ check, says }) => `${check}: ${says}`);
}

const withVariables = (variables: Record<string, string>) => ({
  variables: { ...healthy.context.variables, ...variables },
});

test('a healthy installation gives no alarm', async () => {
  expect(await complaints()).toEqual([]);
});

test('one database for lists and for everything else gives no alarm', async () => {
  const views = { COUNTERFOIL_VIEWS_DATABASE_URL: roleUrl(healthy.own.url, 'views') };
  const findings = await runDoctor({ ...healthy.context, ...withVariables(views) });
  expect(findings.filter(({ check }) => check === 'views')).toMatchObject([{ state: 'fine' }]);
});

test('every complaint says how to mend it', async () => {
  const findings = await runDoctor({ ...healthy.context, database: undefined, chains: [], mailServer: undefined });
  expect(findings.filter(({ state, mend }) => state !== 'fine' && !mend)).toEqual([]);
});

type Planted = { change: () => Promise<Partial<DoctorContext>>; found: RegExp; undo?: () => Promise<unknown> };

const LATER_MS = 10_000;
const query = (text: string) => healthy.own.database.pool.query(text);
const nextMonth = () => {
  const now = new Date(systemClock.nowMs());
  return periodOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)))
    .slice(0, 7)
    .replace('-', '_');
};

let ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const end of ends) await end();
  ends = [];
});

async function startStranger(): Promise<string> {
  const server = createServer((_request, response) => response.end('<h1>Welcome to nginx</h1>'));
  const port = await listen(server);
  ends.push(() => closeServer(server));
  return `http://127.0.0.1:${port}`;
}

async function startChain(options: Parameters<typeof startBsc>[0]): Promise<string> {
  const chain = await startBsc(options);
  ends.push(() => chain.stop());
  return chain.url;
}

/** A node that has dropped its old blocks. */
async function startShallowNode(): Promise<string> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => void answer(Buffer.concat(parts).toString()).then((text) => response.end(text)));
  });
  type Call = { id: unknown; method: string; params: unknown[] };
  const one = async ({ id, method, params }: Call) => {
    const isOld = method === 'eth_getBlockByNumber' && params[0] === '0x1';
    const result = isOld ? null : await callRpc(healthy.chain.url, { method, params });
    return { jsonrpc: '2.0', id, result };
  };
  const answer = async (body: string) => {
    const asked = JSON.parse(body) as Call | Call[];
    return JSON.stringify(Array.isArray(asked) ? await Promise.all(asked.map(one)) : await one(asked));
  };
  const port = await listen(server);
  ends.push(() => closeServer(server));
  return `http://127.0.0.1:${port}`;
}

const bsc = async (url: string) => ({
  chains: [await bscAt(url, healthy.chain.url.replace('127.0.0.1', 'localhost'))],
});

const PLANTED: Record<string, Planted> = {
  'a setting of the wrong form': {
    change: async () => withVariables({ COUNTERFOIL_SHARDS: 'abc' }),
    found: /^settings: COUNTERFOIL_SHARDS/,
  },
  'a misspelt setting': {
    change: async () => withVariables({ COUNTERFOIL_TRUSTED_PROXY: '10.0.0.1' }),
    found: /^settings: .*COUNTERFOIL_TRUSTED_PROXIES is meant/,
  },
  'development behind a public address': {
    change: async () =>
      withVariables({ COUNTERFOIL_ENVIRONMENT: 'development', COUNTERFOIL_CHECKOUT_URL: 'https://pay.example' }),
    found: /^environment: /,
  },
  'proxies that are everybody': {
    change: async () => withVariables({ COUNTERFOIL_TRUSTED_PROXIES: '10.0.0.1,0.0.0.0/0' }),
    found: /^settings: COUNTERFOIL_TRUSTED_PROXIES: /,
  },
  'an operations port for everybody': {
    change: async () => withVariables({ COUNTERFOIL_OPERATIONS_HOST: '0.0.0.0' }),
    found: /^operations port: /,
  },
  'open registration without mail': {
    change: async () => withVariables({ COUNTERFOIL_REGISTRATION: 'open' }),
    found: /^settings: COUNTERFOIL_REGISTRATION: /,
  },
  'lists from another database': {
    change: async () => {
      const other = await openTestDatabase(inject('template'));
      ends.push(() => other.drop());
      return withVariables({ COUNTERFOIL_VIEWS_DATABASE_URL: roleUrl(other.url, 'views') });
    },
    found: /^views: .*two databases/,
  },
  'lists from nowhere': {
    change: async () => withVariables({ COUNTERFOIL_VIEWS_DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }),
    found: /^views: .*cannot be asked/,
  },
  'a clock that is wrong': {
    change: async () => ({ clock: createManualClock(systemClock.nowMs() - LATER_MS) }),
    found: /^clock: .*away from the database/,
  },
  'a schema that is behind': {
    change: async () => {
      await query('create table kept as select * from schema_migrations order by version desc limit 1');
      await query('delete from schema_migrations where version = (select version from kept)');
      return {};
    },
    undo: async () => {
      await query('insert into schema_migrations select * from kept');
      await query('drop table kept');
    },
    found: /^schema: .*older than this version/,
  },
  "another process's role": {
    change: async () => ({ database: healthy.own.as('worker') }),
    found: /^database role: counterfoil_worker does not fit counterfoil_admin/,
  },
  'a superuser': {
    change: async () => ({ database: healthy.own.database }),
    found: /^database role: .*is a superuser/,
  },
  'a missing partition': {
    change: async () => {
      await query(`drop table attempts_${nextMonth()}`);
      return {};
    },
    undo: () => query('select make_partitions(current_date)'),
    found: /^partitions: .*attempts/,
  },
  'more connections than the server has': {
    change: async () => ({ databaseConnections: 150 }),
    found: /^connections: .*needs 605/,
  },
  'a plan that does not exist': { change: async () => ({ storePlan: 'gold' }), found: /^store plan: .*gold/ },
  'a network of a live store without nodes': { change: async () => ({ chains: [] }), found: /^networks: .*BSC/ },
  'a worker that does not read': {
    change: async () => {
      await query(
        `insert into chains (network, height, hash, block_time, head_height, head_time, head_read_at)
         values ('ETH', 1, '0x1', now() - interval '1 hour', 1, now() - interval '1 hour', now() - interval '1 hour')`,
      );
      return {};
    },
    undo: () => query("delete from chains where network = 'ETH'"),
    found: /^workers: .*ETH/,
  },
  'a missing key ring': {
    change: async () => ({ keyRingFile: join(healthy.folder, 'none.json') }),
    found: /^key ring: /,
  },
  'a key ring that others can read': {
    change: async () => {
      const path = join(healthy.folder, 'open.json');
      await copyFile(healthy.context.keyRingFile ?? '', path);
      await chmod(path, 0o644);
      return { keyRingFile: path };
    },
    found: /^key ring: .*open\.json/,
  },
  'the key ring of another installation': {
    change: async () => {
      const path = join(healthy.folder, 'other.json');
      const key = Buffer.alloc(32, 7).toString('base64');
      await writeFile(path, JSON.stringify({ keys: { k9: key } }), { mode: 0o600 });
      return { keyRingFile: path };
    },
    found: /^key ring: /,
  },
  'a node of another chain': {
    change: async () => bsc(await startChain({ chainId: 97 })),
    found: /^node of BSC: .*97/,
  },
  'a node that is down': { change: async () => bsc(await deadUrl()), found: /^node of BSC: 127\.0\.0\.1/ },
  'a node that stands still': {
    change: async () => bsc(await startChain({ ageSeconds: 7_200 })),
    found: /^node of BSC: .*s old: the node is behind/,
  },
  'a node without history': { change: async () => bsc(await startShallowNode()), found: /^node of BSC: .*72 hours/ },
  'one provider alone': {
    change: async () => ({ chains: [await bscAt(healthy.chain.url)] }),
    found: /^nodes of BSC: One provider/,
  },
  'one provider twice': {
    change: async () => ({ chains: [await bscAt(healthy.chain.url, `${healthy.chain.url}/second`)] }),
    found: /^nodes of BSC: .*same host/,
  },
  'a host name without an address': {
    change: async () => ({ resolve: () => Promise.reject(new Error('ENOTFOUND')) }),
    found: /^checkout address: .*no address in DNS/,
  },
  'a checkout that does not answer': {
    change: async () => ({ checkoutUrl: await deadUrl() }),
    found: /^checkout address: .*cannot be reached/,
  },
  'somebody else at the checkout': {
    change: async () => ({ checkoutUrl: await startStranger() }),
    found: /^checkout address: Something else answers/,
  },
  'a proxy that is not trusted': {
    change: async () => {
      const api = await startApi(healthy.own.url, { COUNTERFOIL_ENVIRONMENT: 'production' });
      ends.push(() => api.stop());
      return { checkoutUrl: api.url };
    },
    found: /^checkout address: .*the proxy is not trusted/,
  },
  'a mail server that refuses our password': {
    change: async () => {
      const { mailServer } = healthy.context;
      return { mailServer: mailServer && { ...mailServer, signIn: { user: 'counterfoil', password: 'wrong' } } };
    },
    found: /^mail: .*535/,
  },
  'price sources that are not reached': {
    change: async () => {
      const [first] = healthy.context.priceSources;
      const silent = { name: 'kraken', fetchReports: () => Promise.reject(new Error('no way')) };
      return { priceSources: [...(first ? [first] : []), silent, { ...silent, name: 'coinbase' }] };
    },
    found: /^prices: Too few/,
  },
};

describe('the doctor names', () => {
  test.each(Object.entries(PLANTED))(
    '%s',
    async (_title, { change, found, undo }) => {
      try {
        const changes = await change();
        const said = await complaints(changes);
        expect(said.some((line) => found.test(line)) ? 'found' : said).toBe('found');
      } finally {
        await undo?.();
      }
    },
    30_000,
  );
});

test.each([
  [4, 'wrong'],
  [14, 'doubtful'],
  [16, 'fine'],
])('a disk with %i of 100 free is %s', (freeBytes, state) => {
  expect(judgeDisk('/', { bytes: 100, freeBytes }).state).toBe(state);
});

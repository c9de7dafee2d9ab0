import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Readable } from 'node:stream';
import { addWallet } from '../src/wallets/add-wallet.ts';
import type { Database } from '../src/db/database.ts';
import { closeDatabase, openDatabase } from '../src/db/database.ts';
import type { StoreRef } from '../src/db/store-ref.ts';
import type { Clock } from '../src/lib/clock.ts';
import { systemClock } from '../src/lib/clock.ts';
import { creditBalance } from '../src/ledger/credit-balance.ts';
import type { KeyRing } from '../src/secrets/key-ring.ts';
import { createKeyRing } from '../src/secrets/key-ring.ts';
import { registerKeyRing } from '../src/secrets/register-key-ring.ts';
import { createMerchant } from '../src/merchants/create-merchant.ts';
import { createPlan } from '../src/merchants/create-plan.ts';
import type { CreatedStore } from '../src/stores/create-store.ts';
import { createStore } from '../src/stores/create-store.ts';
import { findPlan } from '../src/merchants/plan-sql.ts';
import { storeForOperator } from '../src/stores/store-for-operator.ts';
import type { OpenAs } from '../tools/role-database.ts';
import { openRoles, roleUrl } from '../tools/role-database.ts';
import { createDatabase, dropDatabase, temporaryName } from '../tools/temporary-database.ts';
import { genesisSettings } from './chain/genesis.ts';

/** What suites, drills and benches build on: a database of their own, real server processes, stores made by our verbs. */

export type TestDatabase = {
  /** Opened by the server's administrator, for what a test prepares and looks at. */
  database: Database;
  /** The administrator's too; processes are started in their roles all the same. */
  url: string;
  as: OpenAs;
  drop(): Promise<void>;
};

export async function openTestDatabase(adminUrl: string, template: string, connections = 4): Promise<TestDatabase> {
  const name = temporaryName('test');
  const url = await createDatabase(adminUrl, name, template);
  const database = openDatabase({ url, connections, name: 'counterfoil-test' }, () => {});
  const { as, close } = openRoles(url, connections, 'counterfoil-test');
  return {
    database,
    url,
    as,
    drop: async () => {
      await Promise.all([close(), closeDatabase(database)]);
      await dropDatabase(adminUrl, name);
    },
  };
}

export type WorkerProcess = {
  operationsUrl: string;
  /** Everything it wrote to standard output and standard error so far. */
  output(): string;
  child: ChildProcess;
  stop(): Promise<number | null>;
};

export type ServerProcess = WorkerProcess & { url: string };

const START_TIMEOUT_MS = 20_000;

function collect(stream: Readable | null, into: { text: string }): void {
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    into.text += chunk;
  });
}

type Listening = { address?: string; operationsAddress: string };

async function startProcess(main: string, settings: Record<string, string>): Promise<WorkerProcess & { url?: string }> {
  const path = fileURLToPath(new URL(`../src/${main}`, import.meta.url));
  const child = spawn(process.execPath, ['--no-warnings', path], {
    env: {
      PATH: process.env['PATH'],

      COUNTERFOIL_ENVIRONMENT: 'development',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const output = { text: '' };
  collect(child.stdout, output);
  collect(child.stderr, output);
  const { address, operationsAddress } = await waitUntilListening(child, output);
  return {
    ...(address !== undefined && { url: address }),
    operationsUrl: operationsAddress,
    output: () => output.text,
    child,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill('SIGTERM');
      await once(child, 'exit');
      return child.exitCode;
    },
  };
}

/** Starts the real API process, in its role, on ports of its own choosing and waits until it listens. */
export async function startApi(databaseUrl: string, settings: Record<string, string> = {}): Promise<ServerProcess> {
  const { url, ...started } = await startProcess('main-api.ts', {
    COUNTERFOIL_DATABASE_URL: roleUrl(databaseUrl, 'api'),
    COUNTERFOIL_CHECKOUT_URL: 'https://checkout.example',
    COUNTERFOIL_PORT: '0',
    COUNTERFOIL_OPERATIONS_PORT: '0',
    // Receivers of suites and drills stand on this machine.
    ...(settings['COUNTERFOIL_ENVIRONMENT'] !== 'production' && { COUNTERFOIL_PRIVATE_CALLBACKS: 'allow' }),
    ...settings,
  });
  if (url === undefined) throw new Error('The API does not say where it listens.');
  return { ...started, url };
}

/** Starts the real worker process, in its role, told of the local chains that it is to read, and waits until it works. */
export async function startWorker(databaseUrl: string, settings: Record<string, string> = {}): Promise<WorkerProcess> {
  return startProcess('main-worker.ts', {
    COUNTERFOIL_DATABASE_URL: roleUrl(databaseUrl, 'worker'),
    COUNTERFOIL_WORKER_OPERATIONS_PORT: '0',
    ...(await genesisSettings(settings)),
  });
}

async function waitUntilListening(child: ChildProcess, output: { text: string }): Promise<Listening> {
  const signal = AbortSignal.timeout(START_TIMEOUT_MS);
  const ended = once(child, 'exit', { signal }).then(() => undefined);
  const message = once(child, 'message', { signal }).then(([sent]) => sent as Listening);
  const first = await Promise.race([message, ended]).catch(() => undefined);
  if (!first) {
    child.kill('SIGKILL');
    throw new Error(`The process does not start (exit code ${child.exitCode}):\n${output.text}`);
  }
  child.disconnect();
  return first;
}

export type StoreOptions = {
  clock?: Clock;
  plan?: {
    code: string;
    feeRatePercent?: string;
    minimumFeeMicroUsd?: bigint;
    trialDays?: number;
    createBurst?: number;
    createSustained?: number;
    lookupBurst?: number;
    lookupSustained?: number;
  };
  creditMicroUsd?: bigint;
  wallet?: boolean;
  discountPercent?: string;
  lifetimeMinutes?: number;
  httpsCallbacksOnly?: boolean;
  /** Of a database whose ring is kept in a file. */
  ring?: KeyRing;
};

/** `ref` is the store as verbs take it. */
export type TestStore = CreatedStore & { merchantAccountId: bigint; ring: KeyRing; ref: StoreRef };

/** Whoever prepares a test, as the audit names it: `cli:test`. */
export const TESTER = { kind: 'operator', name: 'test' } as const;

/** A customer with the address of an invoice. */
export const VISITOR = { kind: 'stranger' } as const;

const LIFTED = 1_000_000;

/** A plan without limits worth the name, for what is not about limits. */
export const LIFTED_PLAN = {
  code: 'lifted',
  createBurst: LIFTED,
  createSustained: LIFTED,
  lookupBurst: LIFTED,
  lookupSustained: LIFTED,
};

export const CONTRACT_PLAN = { code: 'contract' };

let addresses = 0;

/** Each wallet gets an address of its own: an address belongs to one merchant. */
export function nextAddress(): string {
  addresses += 1;
  return `0x${(BigInt(process.pid) * 1_000_000n + BigInt(addresses)).toString(16).padStart(40, '0')}`;
}

const rings = new WeakMap<Database, Promise<KeyRing>>();

function ringOf(database: Database): Promise<KeyRing> {
  const made = async () => {
    const ring = createKeyRing();
    await registerKeyRing(database.queries, ring);
    return ring;
  };
  const ring = rings.get(database) ?? made();
  rings.set(database, ring);
  return ring;
}

export async function openStore(database: Database, options: StoreOptions = {}): Promise<TestStore> {
  const clock = options.clock ?? systemClock;
  const ring = options.ring ?? (await ringOf(database));
  const context = { database, clock, ring };
  const plan = {
    feeRatePercent: '0.5',
    minimumFeeMicroUsd: 0n,
    trialDays: 0,
    createBurst: 5,
    createSustained: 60,
    lookupBurst: 20,
    lookupSustained: 200,
    ...(options.plan ?? LIFTED_PLAN),
  };
  if (!(await findPlan(database.queries, plan.code))) await createPlan(context, TESTER, plan);
  const merchantAccountId = await createMerchant(context, TESTER, { name: 'Test merchant' });
  const store = await createStore(context, TESTER, {
    merchantAccountId,
    name: 'Test store',
    planCode: plan.code,
    live: true,
    discountPercent: options.discountPercent ?? '0',
    lifetimeMinutes: options.lifetimeMinutes ?? 30,
    httpsCallbacksOnly: options.httpsCallbacksOnly ?? false,
  });
  const ref = await storeForOperator(context, TESTER, store.merchantId);
  if (options.wallet ?? true) {
    await addWallet(context, TESTER, { store: ref, network: 'BSC', address: nextAddress() });
  }
  const microUsd = options.creditMicroUsd ?? 1_000_000_000n;
  if (microUsd > 0n) await creditBalance(context, TESTER, { store: ref, microUsd, note: 'test' });
  return { ...store, merchantAccountId, ring, ref };
}

import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TestDatabase } from '../../rig/database/test-database.ts';
import { openTestDatabase } from '../../rig/database/test-database.ts';
import type { Round, Stop } from '../../rig/people/method-races.ts';
import {
  adminContext,
  dashboardContext,
  MOMENTS,
  ownerOf,
  runRound,
  seedRounds,
  STOPS,
} from '../../rig/people/method-races.ts';
import { nextAddress, openStore, TESTER } from '../../rig/stores/open-store.ts';
import { Refusal } from '../../src/lib/refusal.ts';
import { issueApiKey } from '../../src/stores/issue-api-key.ts';
import { storeForOperator } from '../../src/stores/store-for-operator.ts';
import { addWallet } from '../../src/wallets/add-wallet.ts';
import { lockMethods } from '../../src/wallets/lock-methods.ts';

/**
 * Changes of payment methods against everything that stops them, at the same moment. Audit entries have no gaps and
 * wait for each other, so their ids are the order of the commits.
 */

const ROUNDS = 500;
const LOCK_ROUNDS = 100;
const LANES = 4;
const CONNECTIONS = 12;

let own: TestDatabase;
let rounds: Round[];
beforeAll(async () => {
  own = await openTestDatabase(inject('template'), CONNECTIONS);
  rounds = await seedRounds(own, ROUNDS + LOCK_ROUNDS);
});
afterAll(() => own.drop());

/** Runs rounds in several lanes beside each other. */
async function inLanes(all: readonly Round[], run: (round: Round) => Promise<void>): Promise<void> {
  const left = [...all];
  const lane = async () => {
    for (let round = left.shift(); round; round = left.shift()) await run(round);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

const KINDS = Object.keys(STOPS) as Stop[];
const stopOf = ({ number }: Round): Stop => KINDS[number % KINDS.length] ?? 'lock';
const momentOf = ({ number }: Round) => Math.floor(number / KINDS.length) % (MOMENTS + 1);

type End = {
  change: string;
  state: string;
  wallets: number;
  /** Ids of the audit entries that say that the change was applied. */
  applied: bigint[];
  /** Ids of the audit entries that say that it was stopped, cancelled, removed or failed. */
  ended: bigint[];
  /** Id of the stopping audit entry, with or without a change to stop; null when the stop was refused. */
  stop: bigint | null;
};

async function readEnds(): Promise<Map<string, End>> {
  const { rows } = await own.database.pool.query<End>(
    `select c.code as change, c.state,
       (select count(*)::integer from wallets w where w.store_id = c.store_id and w.address = c.address and w.removed_at is null)
         as wallets,
       array(select a.id from audit_entries a where a.action = 'wallet.add' and a.details ->> 'change' = c.code) as applied,
       array(select a.id from audit_entries a where a.action in ('method.cancel', 'method.fail') and a.details ->> 'change' = c.code
         or a.action = 'methods.lock' and a.details -> 'stopped' ? c.code
         or a.action = 'wallet.remove' and a.details -> 'changes' ? c.code) as ended,
       (select max(a.id) from audit_entries a where a.subject in ('store:' || c.store_id, 'merchant:' || c.merchant_account_id)
         and a.action in ('methods.lock', 'method.cancel', 'wallet.remove', 'store.deactivate', 'merchant.deactivate')) as stop
     from method_changes c`,
  );
  return new Map(rows.map((row) => [row.change, row]));
}

test('a due change is applied once or not at all: never after what stopped it, and it ends in one state that the audit tells', async () => {
  const raced = rounds.slice(0, ROUNDS);
  await inLanes(raced, (round) => runRound(own, round, stopOf(round), momentOf(round)));
  const ends = await readEnds();
  const figures = { rounds: 0, applied: 0, stopped: 0, twice: 0, after_stop: 0, mismatched: 0 };
  const states: Record<string, number> = {};
  for (const round of raced) {
    const end = ends.get(round.change);
    if (!end) throw new Error(`${round.change} is gone.`);
    const { state, wallets, applied, ended, stop } = end;
    const isApplied = state === 'applied';
    figures.rounds += 1;
    figures[isApplied ? 'applied' : 'stopped'] += 1;
    const name = `${stopOf(round)}: ${state}`;
    states[name] = (states[name] ?? 0) + 1;
    if (applied.length > 1 || wallets > 1) figures.twice += 1;
    if (applied.some((id) => stop !== null && id > stop)) figures.after_stop += 1;
    const expected = isApplied ? [1, 1, 0] : [0, 0, 1];
    const isTold = expected.join() === [wallets, applied.length, ended.length].join();
    if (!isTold || (!isApplied && state !== STOPS[stopOf(round)])) figures.mismatched += 1;
  }
  process.stdout.write(`${JSON.stringify({ ...figures, states })}\n`);
  expect(figures).toMatchObject({ rounds: ROUNDS, twice: 0, after_stop: 0, mismatched: 0 });
  // Both outcomes must have happened often, or nothing raced.
  expect(Math.min(figures.applied, figures.stopped)).toBeGreaterThan(ROUNDS / 10);
});

const refused = (cause: unknown) => {
  if (!(cause instanceof Refusal)) throw cause;
};

test('what is asked for at the moment of a lock is refused or stopped: nothing waits, and no key is made, after the lock', async () => {
  const { ring } = await openStore(own.database);
  const raced = rounds.slice(ROUNDS);
  await inLanes(raced, async (round) => {
    const { merchantCode, merchantId } = round;
    const store = await storeForOperator(own, TESTER, merchantId);
    const owner = ownerOf(round);
    // The lock is ahead of the others by some questions to the database, so that each of them is first sometimes.
    const afterSome = async (work: () => Promise<unknown>) => {
      for (let asked = 0; asked < round.number % 6; asked += 1) await storeForOperator(own, TESTER, merchantId);
      await work().catch(refused);
    };
    const wallet = { store, network: 'ETH', address: nextAddress() };
    const key = { store, overlapHours: 0 };
    await Promise.all([
      lockMethods(dashboardContext(own, round), owner, { merchantCode }),
      afterSome(() => addWallet(dashboardContext(own, round), owner, wallet)),
      afterSome(() => issueApiKey({ ...adminContext(own), ring }, TESTER, key)),
    ]);
  });
  const merchants = raced.map((round) => round.merchantAccountId);
  const { rows } = await own.database.pool.query<Record<string, number>>(
    `with locked as (
         select m.id, s.id as store_id, (select a.id from audit_entries a where a.action = 'methods.lock' and a.subject = 'merchant:' || m.id)
           as lock
         from merchants m join stores s on s.merchant_account_id = m.id where m.id = any($1))
       select count(lock)::integer as locked,
         (select count(*)::integer from method_changes c join locked l on l.store_id = c.store_id where c.state = 'pending') as waiting,
         (select count(*)::integer from method_changes c join locked l on l.store_id = c.store_id where c.network = 'ETH') as asked,
         (select count(*)::integer from audit_entries a join locked l on a.subject = 'store:' || l.store_id
           where a.action = 'api_key.regenerate') as keys,
         (select count(*)::integer from audit_entries a join locked l on a.subject = 'store:' || l.store_id
           where a.action in ('api_key.regenerate', 'method.request') and a.id > l.lock) as after_lock
       from locked`,
    [merchants],
  );
  process.stdout.write(`${JSON.stringify(rows[0])}\n`);
  expect(rows[0]).toMatchObject({ locked: LOCK_ROUNDS, waiting: 0, after_lock: 0 });
});

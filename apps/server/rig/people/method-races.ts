import pino from 'pino';
import type { Person } from '../../src/lib/actor.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { actAs } from '../../src/db/act-as.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Refusal } from '../../src/lib/refusal.ts';
import { activateMerchant } from '../../src/merchants/activate-merchant.ts';
import { insertLockLink } from '../../src/people/lock-link-sql.ts';
import { drawLinkToken, hashLinkToken } from '../../src/people/person.ts';
import { activateStore } from '../../src/stores/activate-store.ts';
import { storeForOperator } from '../../src/stores/store-for-operator.ts';
import { applyMethodChanges } from '../../src/wallets/apply-method-changes.ts';
import { cancelMethodChange } from '../../src/wallets/cancel-method-change.ts';
import { lockMethodsByLink } from '../../src/wallets/lock-methods-by-link.ts';
import { lockMethods } from '../../src/wallets/lock-methods.ts';
import { removeWallet } from '../../src/wallets/remove-wallet.ts';
import { NETWORKS } from '../chains/networks.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { openStore, TESTER } from '../stores/open-store.ts';

/** Rounds of a race: a change whose time comes is applied by two workers, while something stops it. */

/** What can stop a change, and the state that a stopped change ends in. */
export const STOPS = {
  lock: 'locked',
  link: 'locked',
  cancel: 'cancelled',
  remove: 'removed',
  'store off': 'failed',
  'merchant off': 'failed',
} as const;
export type Stop = keyof typeof STOPS;

export type Round = {
  number: number;
  merchantAccountId: bigint;
  merchantCode: string;
  merchantId: string;
  storeId: bigint;
  personId: bigint;
  personCode: string;
  /** Where the store receives, and where it would after the change. */
  address: string;
  change: string;
  changeId: bigint;
};

const HEX = `'0x' || lpad(to_hex(n * 2), 40, '0')`;
const HEX_NEW = `'0x' || lpad(to_hex(n * 2 + 1), 40, '0')`;

/**
 * Makes merchants with an owner and a live store that receives on BSC and has a change there that waits. Made by few
 * statements, because the rounds are many.
 */
export async function seedRounds({ database }: TestDatabase, rounds: number): Promise<Round[]> {
  const model = await openStore(database);
  const { rows } = await database.pool.query<Round>(
    `with m as (
       insert into merchants (name, created_at) select n::text, now() from generate_series(1, $1) n returning id, name, code
     ), s as (
       insert into stores (merchant_account_id, merchant_id, shard, name, plan_id, created_at)
       select m.id, 'MID-RACE' || m.name, 'A', m.name, t.plan_id, now() from m, stores t where t.id = $2 returning id, name, merchant_id
     ), p as (
       insert into people (code, mail_normal, mail_shown, name, language, verified_at, created_at)
       select 'PER-RACE' || n, n || '@race.test', n || '@race.test', n::text, 'en', now(), now() from generate_series(1, $1) n
       returning id, name, code
     ), member as (
       insert into memberships (merchant_account_id, person_id, role, since)
       select m.id, p.id, 'owner', now() from m join p using (name)
     ), claimed as (
       insert into receiving_addresses (family, address, merchant_account_id, claimed_at)
       select 'evm', ${HEX}, m.id, now() from generate_series(1, $1) n join m on m.name = n::text
     ), w as (
       insert into wallets (store_id, merchant_account_id, network, family, address, added_at)
       select s.id, m.id, 'BSC', 'evm', ${HEX}, now() from generate_series(1, $1) n join m on m.name = n::text join s using (name)
     ), c as (
       insert into method_changes (code, merchant_account_id, store_id, kind, network, family, address, requested_by, requested_at,
         effective_at, state)
       select 'MCH-RACE' || n, m.id, s.id, 'wallet', 'BSC', 'evm', ${HEX_NEW}, 'cli:race', now(), 'infinity', 'pending'
       from generate_series(1, $1) n join m on m.name = n::text join s using (name) returning id, store_id, code
     )
     select n::integer as number, m.id as "merchantAccountId", m.code as "merchantCode", s.merchant_id as "merchantId",
       s.id as "storeId", p.id as "personId", p.code as "personCode", ${HEX} as address, c.code as change, c.id as "changeId"
     from generate_series(1, $1) n join m on m.name = n::text join s using (name) join p using (name) join c on c.store_id = s.id
     order by n`,
    [rounds, model.id],
  );
  return rows;
}

/** The owner of a round's merchant, signed in with two-factor. */
export const ownerOf = ({ personId, personCode, number }: Round): Person => ({
  kind: 'person',
  id: personId,
  code: personCode,
  sessionHash: Buffer.alloc(32),
  hasFactor: true,
  operatorRole: null,
  elevated: true,
  address: `10.8.${number >> 8}.${number & 255}`,
  agent: 'race',
});

/** The context of a verb that the dashboard's server calls for a person or a link, in its role and with their scope. */
export const dashboardContext = (
  { as }: TestDatabase,
  scope: { personId: bigint } | { linkHash: Buffer | undefined },
) => ({
  database: actAs(as('dashboard'), scope, { prepared: true }),
  clock: systemClock,
  networks: NETWORKS,
  jobs: undefined,
});

export const adminContext = ({ as }: TestDatabase) => ({ database: as('admin'), clock: systemClock, jobs: undefined });

/** Stops a change in one way. */
async function stopBy(own: TestDatabase, stop: Stop, round: Round): Promise<unknown> {
  const { merchantCode, merchantAccountId, merchantId, change, address } = round;
  const store = await storeForOperator(own, TESTER, merchantId);
  const owner = ownerOf(round);
  switch (stop) {
    case 'lock':
      return lockMethods(dashboardContext(own, round), owner, { merchantCode });
    case 'link': {
      const token = await drawLink(own, round);
      const linked = dashboardContext(own, { linkHash: hashLinkToken(token) });
      return lockMethodsByLink(linked, { ...owner, kind: 'visitor' }, token);
    }
    case 'cancel':
      return cancelMethodChange(dashboardContext(own, round), owner, { store, change });
    case 'remove':
      return removeWallet(dashboardContext(own, round), owner, { store, network: 'BSC', address, reason: 'race' });
    case 'store off':
      return activateStore(adminContext(own), TESTER, { store, active: false });
    case 'merchant off':
      return activateMerchant(adminContext(own), TESTER, { merchantAccountId, active: false });
  }
}

async function drawLink({ database }: TestDatabase, { personId, merchantAccountId }: Round): Promise<string> {
  const token = drawLinkToken();
  const hash = hashLinkToken(token);
  if (!hash) throw new Error('A link token has an unknown form.');
  const at = new Date(systemClock.nowMs());
  const expiresAt = new Date(at.getTime() + 600_000);
  await insertLockLink(database.queries, { hash, personId, merchantAccountId, expiresAt }, at);
  return token;
}

/** The real clock, which calls `onAsk` with how often it was asked. */
function countingClock(onAsk: (asked: number) => void): Clock {
  let asked = 0;
  return {
    nowMs: () => {
      onAsk((asked += 1));
      return systemClock.nowMs();
    },
  };
}

/** The moments at which a worker asks the clock: when it looks for due changes, and inside of the transaction. */
export const MOMENTS = 3;

/**
 * Runs a round: the change becomes due, two workers apply it, and the stop begins when a worker has come so far as
 * `moment` says. Errors of verbs other than refusals fail the round.
 */
export async function runRound(own: TestDatabase, round: Round, stop: Stop, moment: number): Promise<void> {
  const { promise: reached, resolve: begin } = Promise.withResolvers<void>();
  const clock = countingClock((asked) => {
    if (asked >= moment) begin();
  });
  const faults: unknown[] = [];
  const log = pino({ level: 'silent' });
  const context = {
    database: own.as('worker'),
    clock,
    jobs: undefined,
    log: { ...log, error: (fault: unknown) => void faults.push(fault) },
  };
  await own.database.pool.query('update method_changes set effective_at = requested_at where id = $1', [
    round.changeId,
  ]);
  const workers = ['one', 'two'].map(async (name) => {
    await applyMethodChanges(context, { kind: 'worker', name });
    begin();
  });
  const stopping = (moment === 0 ? Promise.resolve() : reached).then(() => stopBy(own, stop, round));
  const [outcome] = await Promise.allSettled([stopping, ...workers]);
  const isRefused = outcome.status === 'rejected' && outcome.reason instanceof Refusal;
  if (outcome.status === 'rejected' && !isRefused) faults.push(outcome.reason);
  if (faults.length > 0) throw new Error(`Round ${round.number} failed.`, { cause: faults[0] });
}

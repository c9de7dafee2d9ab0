import { openBrowser } from '../../rig/people/dashboard-site.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import { examine } from './command.ts';
import type { Fault } from './fault.ts';
import { sameDay } from './fault.ts';
import type { World } from './world.ts';

/** Price sources, the mail server, sign-ins and the database's upkeep. */

const POLL_MS = 200;

export const deadPrices = ({ prices: { binance, kraken, coinbase } }: World): Fault => ({
  name: 'no price source answers',
  raises: [{ alert: 'CounterfoilPricesOld', labels: { token: 'USDT' } }],
  mayRaise: ['CounterfoilPricesOld'],
  plant: async () => {
    for (const source of [binance, kraken, coinbase]) source.mood = 'dead';
  },
  remove: async () => {
    for (const source of [binance, kraken, coinbase]) source.mood = 'good';
  },
});

const PASSWORD = 'a password which nobody has';
/** A few more than the alarm needs: addresses from which all were tried. */
const SPRAYED = 24;
const AT_ONCE = 3;
const SPRAYER = '10.66.6.6';

export const spraying = ({ processes }: World): Fault => ({
  name: 'one password is tried for many users',
  raises: [sameDay('password-spraying')],
  plant: async () => {
    const site = { server: processes.dashboard(), dashboardUrl: processes.dashboardUrl };
    const tryOne = async (place: number) => {
      const body = { mail: `user-${place}@acme.test`, password: PASSWORD };
      return (await openBrowser(site, SPRAYER).send('POST', '/session', body)).status;
    };
    const statuses: number[] = [];
    for (let place = 0; place < SPRAYED; place += AT_ONCE)
      statuses.push(...(await Promise.all(Array.from({ length: AT_ONCE }, (_one, more) => tryOne(place + more)))));
    const refused = statuses.filter((status) => status === 401).length;
    if (refused !== SPRAYED) throw new Error(`The sign-ins answered ${[...new Set(statuses)].join(', ')}.`);
  },
  remove: async () => {},
});

/** Attempts that fail until the shipped rule counts them: more than five. */
const SIGN_UPS = 10;

async function signUp({ processes }: World, mail: string): Promise<void> {
  const site = { server: processes.dashboard(), dashboardUrl: processes.dashboardUrl };
  const body = { mail, name: 'Somebody', language: 'en', password: PASSWORD };
  const { status, text } = await openBrowser(site).send('POST', '/sign-up', body);
  if (status !== 200) throw new Error(`The sign-up answered ${status}: ${text}`);
}

export const lockedOut = (world: World): Fault => ({
  name: 'the mail server refuses every sign-in',
  raises: [sameDay('mail-server-unusable'), { alert: 'CounterfoilEmailsFailing' }],
  plant: async () => {
    world.mail.setMood('lock out');
    for (let place = 0; place < SIGN_UPS; place += 1) await signUp(world, `new-${place}@acme.test`);
  },
  remove: async () => {
    world.mail.setMood('take');
    const before = world.mail.received.length;
    await signUp(world, 'last@acme.test');
    const isSent = () => world.mail.received.length > before;
    await waitUntil(isSent, { what: 'The mail server takes no mail.', pollMs: POLL_MS });
  },
});

const CHECKS = ['archiving', 'replication slots'];

/** The archive is gone and a standby never comes back; the timer of the doctor finds both. */
export const unkept = (world: World): Fault => {
  const { cluster, database } = world;
  const query = (text: string) => database.pool.query<{ holds: boolean }>(text);
  const switchFile = async () => {
    await query(`select pg_logical_emit_message(false, 'drill', 'x')`);
    await query('select pg_switch_wal()');
  };
  const until = (condition: string, what: string) =>
    waitUntil(async () => (await query(`select ${condition} as holds from pg_stat_archiver`)).rows[0]?.holds === true, {
      what,
      pollMs: POLL_MS,
    });
  return {
    name: 'the log is not archived, and a replication slot is dead',
    raises: [sameDay('doctor-found')],
    plant: async () => {
      await query(`select pg_create_physical_replication_slot('gone', true)`);
      await cluster.loseArchive();
      await switchFile();
      await until(
        `coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false)`,
        'The archive takes all.',
      );
      const found = await examine(world);
      const unnamed = CHECKS.filter((check) => !found.includes(check));
      if (unnamed.length > 0) throw new Error(`The doctor did not name ${unnamed.join(', ')}.`);
    },
    remove: async () => {
      await query(`select pg_drop_replication_slot('gone')`);
      await cluster.restoreArchive();
      await switchFile();
      await until('last_archived_time >= last_failed_time', 'The archive takes nothing.');
    },
  };
};

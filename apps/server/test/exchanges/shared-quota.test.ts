import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { openStatementSources } from '../../src/commands/open-statement-sources.ts';
import { createManualClock } from '../../src/lib/clock.ts';
import { createRequestGate } from '../../src/platforms/exchange/request-gate.ts';
import { reportHolder } from '../../src/secrets/ring-holder-sql.ts';
import { readPauses, savePause } from '../../src/wallets/exchange-account-sql.ts';
import { requireStatementSource } from '../../src/wallets/statement-sources.ts';
import { tuneGate } from '../../src/wallets/tune-gate.ts';
import { NETWORKS } from '../../rig/chains/networks.ts';
import type { ExchangeSite } from '../../rig/exchanges/exchange-fixture.ts';
import { openExchangeSite } from '../../rig/exchanges/exchange-fixture.ts';
import { waitUntil } from '../../rig/processes/wait-until.ts';

/** Processes share the quota of our address and their bans. */

let site: ExchangeSite;
beforeAll(async () => {
  site = await openExchangeSite(inject('template'), 'KUCOIN');
});
afterAll(() => site.close());
beforeEach(async () => {
  await site.engine.database.pool.query('delete from key_ring_holders');
});

const ENTRY = { baseUrl: 'https://api.kucoin.com', quota: { name: 'x', limit: 1_000, windowMs: 30_000 }, weight: 1 };

const report = (pid: number, kind = 'worker') =>
  reportHolder(site.engine.database.queries, { id: `h:${pid}`, kind, host: 'h', pid, keyIds: [], fault: null });

const age = (seconds: number) =>
  site.engine.database.pool.query(`update key_ring_holders set seen_at = now() - make_interval(secs => $1)`, [seconds]);

/** The time between two turns of a gate that was tuned by what the database says. */
async function turnMs(): Promise<number> {
  const clock = createManualClock(1_000_000);
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
    await clock.wait(ms);
  };
  const gate = createRequestGate({ clock, wait });
  await tuneGate({ ...site.engine, clock }, gate);
  for (let count = 0; count < 40; count += 1) await gate.enter(ENTRY);
  return waits.at(-1) ?? 0;
}

test('each of several workers takes its part of the turns', async () => {
  await report(1);
  expect(await turnMs()).toBe(40);
  await report(2);
  await report(3);
  expect(await turnMs()).toBe(120);
  await report(4, 'dashboard');
  expect(await turnMs()).toBe(120);
});

test('a worker whose report failed once is still counted, and a dead one is not after a minute', async () => {
  for (const pid of [1, 2, 3]) await report(pid);
  await age(20);
  expect(await turnMs()).toBe(120);
  await age(61);
  expect(await turnMs()).toBe(40);
});

test('a ban that a command was told of is kept for the workers', async () => {
  const { engine, fake, network } = site;
  const context = { ...engine, networks: NETWORKS, wait: (ms: number) => engine.clock.wait(ms) };
  const source = requireStatementSource(await openStatementSources(context), network);
  const { credentials } = fake.openAccount();
  fake.misbehave({ kind: 'ban', retryAfterSeconds: 30 });
  await expect(source.readKey({ baseUrl: fake.url, credentials })).rejects.toMatchObject({ kind: 'rate' });
  fake.misbehave(null);
  const isKept = async () => {
    const kept = await readPauses(engine.database.queries, new Date(engine.clock.nowMs()));
    return kept.some(({ baseUrl }) => baseUrl === fake.url);
  };
  await waitUntil(isKept, { what: 'The ban is not kept.', timeoutMs: 60_000, pollMs: 20 });
});

test('a shorter pause of a base URL does not end a longer one', async () => {
  const { engine } = site;
  const { queries } = engine.as('worker');
  const baseUrl = 'https://paused.example';
  const inMinutes = (minutes: number) => new Date(engine.clock.nowMs() + minutes * 60_000);
  for (const minutes of [1, 10, 2]) await savePause(queries, baseUrl, inMinutes(minutes), 'a test');
  expect(await readPauses(queries, inMinutes(0))).toContainEqual({ baseUrl, pausedUntil: inMinutes(10) });
});

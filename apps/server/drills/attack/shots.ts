import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { steadyClock } from '../../src/lib/clock.ts';
import { sleep } from '../../src/lib/loop.ts';

/**
 * Child process that sends the requests of a flood, so that the process that measures latency is not slowed down. It
 * receives what to send as a message.
 */

export type Shot = { method: string; path: string; headers: Record<string, string>; body?: string };

export type ShotPlan = {
  url: string;
  /** Requests, sent in turn; `%N` in a body stands for a number that no other request has. */
  shots: readonly Shot[];
  /** IP addresses that a proxy names for the requests, used in turn. */
  addresses: readonly string[];
  /** How many requests are under way at once; each is followed by another one soon after its answer. */
  atOnce: number;
  seconds: number;
};

/** How often each status was answered; `0` counts requests that were not answered. */
export type ShotCounts = Record<number, number>;

/** A process that used all processor time would measure this machine and not the server. */
const MOST_PER_SECOND = 2_000;
const NOBODY = new AbortController().signal;
const agent = new Agent({ keepAlive: true });

function send({ url, shots, addresses }: ShotPlan, number: number): Promise<number> {
  const shot = shots[number % shots.length];
  if (!shot) throw new Error('A flood needs requests.');
  const { method, path, headers, body } = shot;
  const address = addresses[number % addresses.length] ?? '192.0.2.1';
  return new Promise((resolve) => {
    const options = { method, agent, headers: { ...headers, 'x-forwarded-for': address } };
    request(new URL(path, url), options, (response) => {
      response.resume().once('close', () => resolve(response.statusCode ?? 0));
    })
      .once('error', () => resolve(0))
      .end(body?.replaceAll('%N', String(number)));
  });
}

/** Sends one request after another until the time is over. */
async function shootOn(plan: ShotPlan, endsAtMs: number, take: () => number, counts: ShotCounts): Promise<void> {
  while (steadyClock.nowMs() < endsAtMs) {
    const status = await send(plan, take());
    counts[status] = (counts[status] ?? 0) + 1;
    await sleep((plan.atOnce * 1_000) / MOST_PER_SECOND, NOBODY);
  }
}

async function shoot(plan: ShotPlan): Promise<ShotCounts> {
  const counts: ShotCounts = {};
  const endsAtMs = steadyClock.nowMs() + plan.seconds * 1_000;
  let number = 0;
  const take = () => (number += 1);
  await Promise.all(Array.from({ length: plan.atOnce }, () => shootOn(plan, endsAtMs, take, counts)));
  return counts;
}

process.once('disconnect', () => process.exit());
const [plan] = (await once(process, 'message')) as [ShotPlan];
process.send?.(await shoot(plan));

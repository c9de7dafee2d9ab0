import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { steadyClock } from '../../src/lib/clock.ts';
import { sleep } from '../../src/lib/loop.ts';
import type { Site } from './site.ts';
import { createInvoice } from './site.ts';
import { percentile } from '../../rig/report/percentile.ts';

/** Floods of requests made by the tool wrk, and the latency of a merchant's create calls during a flood. */

const CONNECTIONS = 64;
const BETWEEN_CREATES_MS = 5;
const SCRIPT = fileURLToPath(new URL('./attack.lua', import.meta.url));
const run = promisify(execFile);

export type Flooded = { answered: number; /** Refused by a rate limit. */ limited: number };

/** Sends as many requests as 64 connections can make; each request is a random line of `lines`. */
export async function flood(site: Site, lines: readonly string[], seconds: number): Promise<Flooded> {
  const file = join(site.folder, 'requests.txt');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const words = [
    '-t1',
    `-c${CONNECTIONS}`,
    `-d${seconds}s`,
    '-s',
    SCRIPT,
    site.server.url,
    '--',
    file,
    String(site.seed),
  ];
  const { stdout } = await run('wrk', words);
  const match = /ANSWERED (\d+) LIMITED (\d+)/.exec(stdout);
  if (!match) throw new Error(`wrk gave no figure:\n${stdout}`);
  return { answered: Number(match[1]), limited: Number(match[2]) };
}

export type Creates = { created: number; failed: number; p50Ms: number; p99Ms: number };

/** Creates one invoice after another as a merchant until `until` settles. */
export async function createUntil(site: Site, until: Promise<unknown>): Promise<Creates> {
  const stop = new AbortController();
  const over = until.finally(() => stop.abort());
  const taken: number[] = [];
  let failed = 0;
  while (!stop.signal.aborted) {
    const startedMs = steadyClock.nowMs();
    if ((await createInvoice(site)) === undefined) failed += 1;
    else taken.push(steadyClock.nowMs() - startedMs);
    await sleep(BETWEEN_CREATES_MS, stop.signal);
  }
  await over;
  return { created: taken.length, failed, p50Ms: percentile(taken, 0.5, 0), p99Ms: percentile(taken, 0.99, 0) };
}

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { roleUrl } from '../../rig/database/role-database.ts';
import { createTemplate, dropTemplate } from '../../rig/database/template-database.ts';
import { runProgram } from '../../rig/processes/run-program.ts';
import { startHealthyInstance } from '../../rig/site/healthy-instance.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { steadyClock } from '../../src/lib/clock.ts';

/**
 * Drills the doctor on a busy machine: it examines a healthy installation again and again beside a process that keeps a
 * core busy for each core, and must name nothing; a fault that is planted then must still be named.
 */

const BUSY = 'for (;;) {}';
const RUNS = { quick: 4, full: 50 };
/** True here: the installation names no mail server, and the disk of this machine is what it is. */
const OF_THIS_MACHINE = new Set(['mail', 'disk']);
const PLANTED = { COUNTERFOIL_STORE_PLAN: 'gold' };

type Settings = Record<string, string>;

async function examine(settings: Settings): Promise<Finding[]> {
  const { out, error } = await runProgram('cli', ['doctor', '--json'], settings);
  if (out === '') throw new Error(`The doctor said nothing: ${error}`);
  return JSON.parse(out) as Finding[];
}

const complaintsOf = (findings: readonly Finding[]) =>
  findings
    .filter(({ check, state }) => state !== 'fine' && !OF_THIS_MACHINE.has(check))
    .map(({ check, says }) => `${check}: ${says}`);

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

async function besideBusyCores<T>(work: () => Promise<T>): Promise<T> {
  const busy = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', BUSY], { stdio: 'ignore' }),
  );
  try {
    return await work();
  } finally {
    await Promise.all(busy.map(stop));
  }
}

async function examineOften(settings: Settings, runs: number) {
  const said: string[] = [];
  let slowestMs = 0;
  for (let run = 0; run < runs; run += 1) {
    const startedAtMs = steadyClock.nowMs();
    said.push(...complaintsOf(await examine(settings)));
    slowestMs = Math.max(slowestMs, steadyClock.nowMs() - startedAtMs);
  }
  return { said, slowestMs };
}

async function runDrill(adminUrl: string, runs: number) {
  const template = await createTemplate(adminUrl);
  try {
    const healthy = await startHealthyInstance(template);
    try {
      const settings = {
        ...healthy.settings,
        COUNTERFOIL_VIEWS_DATABASE_URL: roleUrl(healthy.own.url, 'views'),
      };
      const calm = complaintsOf(await examine(settings));
      const busy = await besideBusyCores(() => examineOften(settings, runs));
      const planted = await besideBusyCores(() => examine({ ...settings, ...PLANTED }));
      const named = complaintsOf(planted).filter((line) => line.startsWith('store plan: ')).length;
      return { said: [...calm, ...busy.said], named, slowestMs: busy.slowestMs };
    } finally {
      await healthy.close();
    }
  } finally {
    await dropTemplate(template);
  }
}

const MOST_SHOWN = 20;
const adminUrl = process.env['COUNTERFOIL_DATABASE_URL'];
if (!adminUrl) throw new Error('COUNTERFOIL_DATABASE_URL is not set; use bin/with-postgres.');
const { values } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const runs = values.quick ? RUNS.quick : RUNS.full;
const { said, named, slowestMs } = await runDrill(adminUrl, runs);
for (const line of said.slice(0, MOST_SHOWN)) console.log(`FAULT ${line}`);
if (said.length > 0 || named !== 1) process.exitCode = 1;
const figures = { runs, busy_processes: availableParallelism(), false_findings: said.length, planted: 1, named };
console.log(JSON.stringify({ ...figures, slowest_s: Math.round(slowestMs / 1_000) }));

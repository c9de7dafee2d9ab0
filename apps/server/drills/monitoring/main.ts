import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from '../../rig/processes/wait-until.ts';
import type { Demo } from '../../rig/site/demo-site.ts';
import { withDemo } from '../../rig/site/demo-site.ts';
import { buy } from './buy.ts';
import type { Prometheus } from '../../rig/monitoring/prometheus.ts';
import { startPrometheus } from '../../rig/monitoring/prometheus.ts';

/**
 * Checks deploy/monitoring with the real tools: promtool and amtool check the files and test each rule; a real
 * Prometheus then scrapes an API and a worker while orders are paid, evaluates every rule, and has data for every panel.
 */

const FOLDER = join(import.meta.dirname, '../../../../deploy/monitoring');
const RULES = join(FOLDER, 'counterfoil.rules.yml');
const BOARDS = ['payments', 'processes'];
const CHECKS: readonly (readonly [string, ...string[]])[] = [
  ['promtool', 'check', 'rules', 'counterfoil.rules.yml'],
  ['promtool', 'check', 'config', 'prometheus.yml'],
  ['promtool', 'test', 'rules', 'counterfoil.test.yml'],
  ['amtool', 'check-config', 'alertmanager.yml'],
];
const NETWORKS = ['BSC', 'SOL'];
/** Alerts that may fire here: the drill runs no dashboard server. */
const EXPECTED = new Set(['CounterfoilDashboardDown']);
const DATA_MS = 60_000;
const POLL_MS = 1_000;

const run = promisify(execFile);

async function isInstalled(command: string): Promise<boolean> {
  return run(command, ['--version']).then(
    () => true,
    () => false,
  );
}

async function checkFiles(): Promise<string[]> {
  const faults: string[] = [];
  for (const [command, ...given] of CHECKS) {
    try {
      await run(command, given, { cwd: FOLDER });
    } catch (cause) {
      const { stdout = '', stderr = '' } = cause as { stdout?: string; stderr?: string };
      faults.push(`${command} ${given.join(' ')}: ${stdout}${stderr}`);
    }
  }
  return faults;
}

type Query = { panel: string; expression: string };

async function readBoards(): Promise<Query[]> {
  type Board = { title: string; panels: { title: string; targets: { expr: string }[] }[] };
  const boards = await Promise.all(
    BOARDS.map(async (name) => JSON.parse(await readFile(join(FOLDER, `boards/${name}.json`), 'utf8')) as Board),
  );
  return boards.flatMap(({ title, panels }) =>
    panels.flatMap((panel) =>
      panel.targets.map(({ expr }) => ({ panel: `${title}: ${panel.title}`, expression: expr })),
    ),
  );
}

async function findEmpty(prometheus: Prometheus, queries: readonly Query[]): Promise<Query[]> {
  const empty: Query[] = [];
  for (const query of queries) {
    const found = await prometheus.query(query.expression);
    if (!found.some(({ value }) => Number.isFinite(Number(value[1])))) empty.push(query);
  }
  return empty;
}

async function judge(prometheus: Prometheus, queries: readonly Query[]): Promise<string[]> {
  let empty: Query[] = [];
  const hasData = async () => {
    empty = await findEmpty(prometheus, queries);
    return empty.length === 0;
  };
  await waitUntil(hasData, { what: 'Panels are empty.', timeoutMs: DATA_MS, pollMs: POLL_MS }).catch(() => {});
  const rules = await prometheus.rules();
  const names = new Set(await prometheus.metricNames());
  const named = (await readFile(RULES, 'utf8')).match(/\bcounterfoil_[a-z0-9_]+/g) ?? [];
  return [
    ...empty.map(({ panel, expression }) => `no data: ${panel}: ${expression}`),
    ...[...new Set(named)].filter((name) => !names.has(name)).map((name) => `no process has ${name}`),
    ...rules.filter(({ health }) => health !== 'ok').map(({ name, lastError }) => `${name}: ${lastError}`),
    ...rules.filter(({ name, state }) => state === 'firing' && !EXPECTED.has(name)).map(({ name }) => `${name} fires`),
  ];
}

async function scrapeDemo(demo: Demo, queries: readonly Query[]): Promise<string[]> {
  const { api, worker } = demo.operationsUrls;
  const prometheus = await startPrometheus(RULES, { 'counterfoil-api': api, 'counterfoil-worker': worker });
  try {
    for (const network of NETWORKS) await buy(demo, network);
    return await judge(prometheus, queries);
  } finally {
    await prometheus.stop();
  }
}

const missing: string[] = [];
for (const command of ['promtool', 'prometheus', 'amtool']) if (!(await isInstalled(command))) missing.push(command);
if (missing.length > 0) {
  console.log(`not run: ${missing.join(', ')} not installed (Debian: prometheus, prometheus-alertmanager)`);
  console.log(JSON.stringify({ run: false }));
} else {
  const queries = await readBoards();
  const faults = await checkFiles();
  await withDemo(
    (text) => console.log(text),
    async (demo) => void faults.push(...(await scrapeDemo(demo, queries))),
  );
  for (const fault of faults) console.log(`FAULT ${fault}`);
  if (faults.length > 0) process.exitCode = 1;
  console.log(JSON.stringify({ run: true, checks: CHECKS.length, queries: queries.length, faults: faults.length }));
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, LOOPBACK } from '../fakes/listen.ts';
import { waitUntil } from '../processes/wait-until.ts';
import { fetchJson } from './fetch-json.ts';

/** A real Prometheus that scrapes real processes every second. */

/** A label set with its value, a number as text. */
type Found = { metric: Record<string, string>; value: [time: number, value: string] };

type RuleState = { name: string; health: string; state: string; lastError?: string };

export type Prometheus = {
  query(expression: string): Promise<Found[]>;
  /** Names of all metrics that were scraped. */
  metricNames(): Promise<string[]>;
  rules(): Promise<RuleState[]>;
  stop(): Promise<void>;
};

const READY_MS = 60_000;
const POLL_MS = 200;

/** The configuration as YAML, of which JSON is a part. */
function configure(rules: string, targets: Readonly<Record<string, string>>): string {
  return JSON.stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: Object.entries(targets).map(([job, url]) => ({
      job_name: job,
      static_configs: [{ targets: [new URL(url).host] }],
    })),
  });
}

/** Starts a Prometheus, and waits until it has scraped so many targets. */
export async function runPrometheus(configuration: string, targets: number): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'counterfoil-prometheus-'));
  const config = join(folder, 'prometheus.yml');
  await writeFile(config, configuration);
  const address = `${LOOPBACK}:${await freePort()}`;
  const child = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=error',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const ask = (path: string) => fetchJson(`http://${address}/api/v1/${path}`);
  const query = async (expression: string) => {
    const { result } = (await ask(`query?query=${encodeURIComponent(expression)}`)) as { result: Found[] };
    return result;
  };
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true });
  };
  const isReady = async () => {
    const up = await query('up == 1').catch(() => []);
    return up.length === targets;
  };
  try {
    await waitUntil(isReady, { what: 'Prometheus did not scrape.', timeoutMs: READY_MS, pollMs: POLL_MS });
  } catch (cause) {
    await stop();
    throw cause;
  }
  return {
    query,
    metricNames: async () => (await ask('label/__name__/values')) as string[],
    rules: async () => {
      const { groups } = (await ask('rules')) as { groups: { rules: RuleState[] }[] };
      return groups.flatMap((group) => group.rules);
    },
    stop,
  };
}

/** Starts a Prometheus with a file of rules that scrapes these URLs by job. */
export function startPrometheus(rules: string, targets: Readonly<Record<string, string>>): Promise<Prometheus> {
  return runPrometheus(configure(rules, targets), Object.keys(targets).length);
}

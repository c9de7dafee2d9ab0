import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** HTTP load by wrk: one thread, many connections. */

const WRK_CONNECTIONS = 64;
const run = promisify(execFile);

export type Load = { perSecond: number; p50Ms: number; p90Ms: number; p99Ms: number; refused: number };

export type LoadOptions = {
  url: string;
  script: 'create' | 'lookup' | 'select';
  /** File that the script reads, one request per line. */
  file: string;
  prefix: string;
  seconds: number;
  /** Requests per second in total; without it as many as possible. */
  rate?: number;
};

const UNIT_MS: Record<string, number> = { us: 0.001, ms: 1, s: 1000 };

function milliseconds(output: string, percentile: string): number {
  const match = new RegExp(`${percentile}%\\s+([\\d.]+)(us|ms|s)`).exec(output);
  return Number(match?.[1]) * (UNIT_MS[match?.[2] ?? ''] ?? Number.NaN);
}

export async function runLoad(options: LoadOptions): Promise<Load> {
  const script = fileURLToPath(new URL(`./${options.script}.lua`, import.meta.url));
  const waitMs = options.rate === undefined ? 0 : Math.round((1000 * WRK_CONNECTIONS) / options.rate);
  const words = ['-t1', `-c${WRK_CONNECTIONS}`, `-d${options.seconds}s`, '--latency', '-s', script, options.url];
  const { stdout } = await run('wrk', [...words, '--', options.file, options.prefix, String(waitMs)]);
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  const refused = Number(/REFUSED (\d+)/.exec(stdout)?.[1]);
  if (Number.isNaN(perSecond) || Number.isNaN(refused)) throw new Error(`wrk gave no figure:\n${stdout}`);
  return {
    perSecond,
    p50Ms: milliseconds(stdout, '50'),
    p90Ms: milliseconds(stdout, '90'),
    p99Ms: milliseconds(stdout, '99'),
    refused,
  };
}

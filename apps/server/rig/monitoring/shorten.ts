import { parse } from 'yaml';

/**
 * The files of deploy/monitoring with every waiting time divided by one factor, so that a drill need not wait as long as an
 * operator. Expressions, labels and routes stay as they are. Pure; the results are JSON, which is a part of YAML.
 */

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(?:\d+(?:ms|[smhd]))+$/;

/** A duration of Prometheus, such as `1h30m`, divided by a factor. */
export function shortenDuration(text: string, factor: number): string {
  if (!DURATION.test(text)) throw new Error(`${text} is no duration.`);
  const parts = [...text.matchAll(/(\d+)(ms|[smhd])/g)];
  const ms = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0);
  return `${Math.max(1, Math.round(ms / factor))}ms`;
}

/** Divides the durations under these names, at any depth. */
function shortenNamed(value: unknown, names: ReadonlySet<string>, factor: number): unknown {
  if (Array.isArray(value)) return value.map((one) => shortenNamed(one, names, factor));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      names.has(name) && typeof inner === 'string'
        ? shortenDuration(inner, factor)
        : shortenNamed(inner, names, factor),
    ]),
  );
}

const OF_RULES = new Set(['for']);
const OF_PROMETHEUS = new Set(['scrape_interval', 'evaluation_interval']);
const OF_ALERTMANAGER = new Set(['group_wait', 'group_interval', 'repeat_interval']);

export function shortenRules(shipped: string, factor: number): string {
  return JSON.stringify(shortenNamed(parse(shipped), OF_RULES, factor));
}

type PrometheusFile = {
  rule_files: string[];
  alerting: { alertmanagers: { static_configs: { targets: string[] }[] }[] };
  scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
};

/** Where the shortened Prometheus finds what it needs: `targets` are hosts with ports by job. */
type Places = { rules: string; alertmanager: string; targets: Readonly<Record<string, string>> };

export function shortenPrometheus(shipped: string, { rules, alertmanager, targets }: Places, factor: number): string {
  const file = shortenNamed(parse(shipped), OF_PROMETHEUS, factor) as PrometheusFile;
  const jobs = file.scrape_configs.map(({ job_name: job, ...rest }) => {
    const target = targets[job];
    if (target === undefined) throw new Error(`The job ${job} has no target.`);
    return { ...rest, job_name: job, static_configs: [{ targets: [target] }] };
  });
  return JSON.stringify({
    ...file,
    rule_files: [rules],
    alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] },
    scrape_configs: jobs,
  });
}

type AlertmanagerFile = { receivers: { name: string }[] };

/** Each receiver of the shipped file keeps its name and is called at `hook/NAME`. */
export function shortenAlertmanager(shipped: string, hook: string, factor: number): string {
  const file = shortenNamed(parse(shipped), OF_ALERTMANAGER, factor) as AlertmanagerFile;
  const receivers = file.receivers.map(({ name }) => ({ name, webhook_configs: [{ url: `${hook}/${name}` }] }));
  return JSON.stringify({ ...file, receivers });
}

type ShippedRule = { alert: string; expr: string; severity: string };

/** The rules of a file, in its order. */
export function listRules(shipped: string): ShippedRule[] {
  type File = { groups: { rules: { alert: string; expr: string; labels: Record<string, string> }[] }[] };
  const { groups } = parse(shipped) as File;
  return groups.flatMap((group) =>
    group.rules.map(({ alert, expr, labels }) => ({ alert, expr, severity: labels['severity'] ?? '' })),
  );
}

/** Judges what `pnpm drill upgrade` has seen. Pure. A drill that did not meet the fault that it promises does not pass. */

/** A request of the traffic; `status` is 0 when there was no response. */
type JudgedRequest = { status: number; sentAtMs: number; endedAtMs: number };

/** The end of a server that could not be announced: by `kill -9`, or of a version that closes its port at once. */
export type Disturbance = { kind: 'kill' | 'no drain'; fromMs: number; toMs: number };

/** Requests may fail when they were in flight, or sent so long after the end of the process. */
const NOTICED_MS = 2_000;
const OK = 200;

const isWithin = ({ sentAtMs, endedAtMs }: JudgedRequest, { fromMs, toMs }: Disturbance) =>
  endedAtMs >= fromMs && sentAtMs <= toMs + NOTICED_MS;

type SortedFailures<R> = { failed: R[]; atKills: R[]; withoutDrain: R[] };

/** Sorts the requests that failed by what allows them to fail; nothing does for those in `failed`. */
export function sortFailures<R extends JudgedRequest>(
  requests: readonly R[],
  disturbances: readonly Disturbance[],
): SortedFailures<R> {
  const sorted: SortedFailures<R> = { failed: [], atKills: [], withoutDrain: [] };
  for (const request of requests.filter(({ status }) => status !== OK)) {
    const kinds = new Set(disturbances.filter((one) => isWithin(request, one)).map(({ kind }) => kind));
    if (kinds.has('kill')) sorted.atKills.push(request);
    else if (kinds.has('no drain')) sorted.withoutDrain.push(request);
    else sorted.failed.push(request);
  }
  return sorted;
}

/** Number of requests that were in flight at a process when it was killed: they were sent before, and failed after. */
export function countInFlight(requests: readonly JudgedRequest[], killedAtMs: number): number {
  return requests.filter(
    ({ status, sentAtMs, endedAtMs }) => status !== OK && sentAtMs <= killedAtMs && endedAtMs >= killedAtMs,
  ).length;
}

export type UpgradeFigures = {
  requests: number;
  failed: number;
  /** Requests that failed beside a version that does not drain; null when every version does. */
  failed_without_drain: number | null;
  failed_at_kills: number;
  kills: number;
  in_flight_at_kills: number;
  payments: number;
  lost_webhooks: number;
  emails: number;
  lost_emails: number;
  apis_replaced: number;
  dashboards_replaced: number;
  workers_replaced: number;
  /** Versions of the job tables before and after the migration. */
  job_tables: readonly [number, number];
  rollback_ok: boolean;
};

/** What one upgrade and one rollback replace. */
const IN_A_ROUND = { apis_replaced: 4, dashboards_replaced: 2, workers_replaced: 4, kills: 2 } as const;

type Expected = { rounds: number; methods: ReadonlySet<string>; killsInFlight: readonly number[] };

/** Names what is wrong with the figures; `killsInFlight` are the requests in flight at each kill. */
export function findUpgradeFaults(figures: UpgradeFigures, { rounds, methods, killsInFlight }: Expected): string[] {
  const [before, after] = figures.job_tables;
  const missing = Object.entries(IN_A_ROUND).filter(
    ([name, count]) => figures[name as keyof typeof IN_A_ROUND] !== count * rounds,
  );
  return [
    ...missing.map(([name, count]) => `${name} is ${figures[name as keyof typeof IN_A_ROUND]}, not ${count * rounds}`),
    ...['GET', 'POST'].filter((one) => !methods.has(one)).map((one) => `no ${one} request was sent`),
    ...(figures.failed > 0 ? [`${figures.failed} requests failed in planned replacements`] : []),
    ...(figures.payments === 0 ? ['nothing was paid'] : []),
    ...(figures.lost_webhooks > 0 ? [`${figures.lost_webhooks} events never arrived`] : []),
    ...(figures.emails === 0 ? ['no email was asked for'] : []),
    ...(figures.lost_emails > 0 ? [`${figures.lost_emails} emails did not arrive once`] : []),
    ...(before < after ? [] : [`the job tables were not migrated: version ${before} became ${after}`]),
    ...killsInFlight.flatMap((count, at) => (count > 0 ? [] : [`no request was in flight at kill ${at + 1}`])),
    ...(figures.rollback_ok ? [] : ['the rollback failed']),
  ];
}

import type { Finding } from './finding.ts';
import { doubtful, fine, wrong } from './finding.ts';

export type ConnectionFacts = {
  /** Connections for ordinary roles, and for this database if fewer. */
  usable: number;
  used: number;
};

type ConnectionPlan = {
  perProcess: number;
  budget: number | undefined;
  /** Running workers and dashboard servers. */
  workers: number;
  dashboards: number;
};

/** APIs report nothing that can be counted; an installation by the guide has two. */
const APIS = 2;
const DASHBOARD_POOLS = 2;
/** For commands, migrations, the doctor and an operator's session. */
const SPARE = 5;
/** Used share at which the next process may find none. */
const FULL = 0.9;

/** Connections that all processes together may open: as planned, or with two APIs and at least one process of the other kinds. */
function countNeeded({ perProcess, budget, workers, dashboards }: ConnectionPlan): number {
  const pools = APIS + Math.max(1, workers) + DASHBOARD_POOLS * Math.max(1, dashboards);
  return (budget ?? pools * perProcess) + SPARE;
}

/** Whether the server has connections for all processes, and some left now. */
export function judgeConnections({ usable, used }: ConnectionFacts, plan: ConnectionPlan): Finding {
  const needed = countNeeded(plan);
  const whose =
    plan.budget === undefined
      ? 'The processes that run, two APIs and at least one of the others,'
      : 'All processes at full scale';
  if (needed > usable)
    return wrong(
      'connections',
      `${whose} may need ${needed} connections with ${SPARE} for commands, and the database gives ${usable}.`,
      'Raise max_connections of the database server, or lower COUNTERFOIL_DATABASE_CONNECTIONS of processes. COUNTERFOIL_DATABASE_BUDGET says how many all processes may open, if they are fewer.',
    );
  if (used > usable * FULL)
    return doubtful(
      'connections',
      `${used} of ${usable} connections of the database server are in use.`,
      'Raise max_connections, or look for who holds them in pg_stat_activity.',
    );
  return fine('connections', `${used} of ${usable} connections are in use, and at most ${needed} are needed.`);
}

import type { Finding } from './finding.ts';
import { doubtful, fine, wrong } from './finding.ts';

export type ConnectionFacts = {
  /** What the server gives to ordinary roles, and to this database where that is less. */
  usable: number;
  used: number;
};

type ConnectionPlan = {
  perProcess: number;
  /** Connections that all processes may open at full scale, where an operator has said so. */
  budget: number | undefined;
  /** Workers and dashboard servers that run now. */
  workers: number;
  dashboards: number;
};

/** Pools of a dashboard server: one for people, one for lists. */
const DASHBOARD_POOLS = 2;
/** Connections for commands, migrations, the doctor and an operator's own session. */
const SPARE = 5;
/** Share of all connections above which the next process may find none. */
const FULL = 0.9;

/** The largest number that all processes together may open: as planned, or with one process of each kind at least. */
function countNeeded({ perProcess, budget, workers, dashboards }: ConnectionPlan): number {
  const pools = 1 + Math.max(1, workers) + DASHBOARD_POOLS * Math.max(1, dashboards);
  return (budget ?? pools * perProcess) + SPARE;
}

/** Judges whether the server has connections for all processes, and whether it has some left now. Pure. */
export function judgeConnections({ usable, used }: ConnectionFacts, plan: ConnectionPlan): Finding {
  const needed = countNeeded(plan);
  const whose =
    plan.budget === undefined ? 'The processes that run, at least one of each kind,' : 'All processes at full scale';
  if (needed > usable)
    return wrong(
      'connections',
      `${whose} may need ${needed} connections with ${SPARE} for commands, and the database gives ${usable}.`,
      'Raise max_connections of the database server, or lower COUNTERFOIL_DATABASE_CONNECTIONS of processes.',
    );
  if (used > usable * FULL)
    return doubtful(
      'connections',
      `${used} of ${usable} connections of the database server are in use.`,
      'Raise max_connections, or look for who holds them in pg_stat_activity.',
    );
  return fine('connections', `${used} of ${usable} connections are in use, and at most ${needed} are needed.`);
}

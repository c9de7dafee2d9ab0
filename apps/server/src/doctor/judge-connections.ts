import type { ConnectionFacts } from './doctor-sql.ts';
import type { Finding } from './finding.ts';
import { doubtful, fine, wrong } from './finding.ts';

/** Pools that one process of each kind opens: API, worker, and two of the dashboard's server. */
const POOLS = 4;
/** Connections for commands, migrations and an operator's own look. */
const SPARE = 5;
/** Share of all connections above which the next process may find none. */
const FULL = 0.9;

/** Judges whether the server has connections for one process of each kind, and whether it has some left now. Pure. */
export function judgeConnections({ most, reserved, used }: ConnectionFacts, perProcess: number): Finding {
  const usable = most - reserved;
  const needed = POOLS * perProcess + SPARE;
  if (needed > usable)
    return wrong(
      'connections',
      `One process of each kind needs ${needed} connections, and the database server gives ${usable}.`,
      'Raise max_connections of the database server, or lower COUNTERFOIL_DATABASE_CONNECTIONS.',
    );
  if (used > usable * FULL)
    return doubtful(
      'connections',
      `${used} of ${usable} connections of the database server are in use.`,
      'Raise max_connections, or look for who holds them in pg_stat_activity.',
    );
  return fine('connections', `${used} of ${usable} connections are in use; one process of each kind needs ${needed}.`);
}

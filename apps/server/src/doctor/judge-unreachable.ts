import pg from 'pg';
import { tlsRefusal } from '../db/tls-fault.ts';
import type { Finding } from './finding.ts';
import { reasonOf, wrong } from './finding.ts';

/** What to do when the server refuses a connection, by its SQLSTATE or the first characters of it. */
const REFUSED: readonly (readonly [code: string, mend: string])[] = [
  [
    '53300',
    'All connections are used. Look in pg_stat_activity for who holds them, stop what is not needed, or raise max_connections. The database itself is not at fault: do not restart it.',
  ],
  ['28', 'Check the user and password of COUNTERFOIL_DATABASE_URL, and pg_hba.conf of the database server.'],
  ['3D', 'Check the database name at the end of COUNTERFOIL_DATABASE_URL.'],
  ['57P', "The server is starting, stopping or recovering. Wait, and read the database server's log if it lasts."],
];
const TLS =
  'Check sslmode and sslrootcert of COUNTERFOIL_DATABASE_URL, and the certificate of the database server; see docs/operations/install.md#tls-to-the-database.';
const UNREACHED =
  'Check that the database server runs, its disk and its log, then the host and port of COUNTERFOIL_DATABASE_URL, DNS and the firewall.';
const FAILED = "Read the database server's log.";

function mendOf(cause: unknown): string {
  if (tlsRefusal(cause)) return TLS;
  if (!(cause instanceof pg.DatabaseError)) return UNREACHED;
  return REFUSED.find(([code]) => cause.code?.startsWith(code))?.[1] ?? FAILED;
}

/** The finding for a database that answered nothing, with what to do about the reason. Pure. */
export function judgeUnreachable(cause: unknown): Finding {
  return wrong('database', `The database does not answer: ${reasonOf(cause)}`, mendOf(cause));
}

import { readFileSync } from 'node:fs';

/**
 * Counts connections that a server on this machine holds, as the kernel sees them: the clients' ends alone do not show
 * reliably which connections the server holds.
 */

const LOCAL_ADDRESS = 1;
const STATE = 3;
const INODE = 9;
const LISTENING = '0A';
/** Inode of a socket that its process has closed and that only the kernel still finishes. */
const ORPHAN = '0';
const HEXADECIMAL = 16;

/** Number of sockets on `port` that a process has open, without listening sockets. */
export function countHeldSockets(port: number): number {
  const rows = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
  return rows.filter((row) => {
    const fields = row.trim().split(/\s+/);
    const local = Number.parseInt(fields[LOCAL_ADDRESS]?.split(':')[1] ?? '', HEXADECIMAL);
    return local === port && fields[STATE] !== LISTENING && fields[INODE] !== ORPHAN;
  }).length;
}

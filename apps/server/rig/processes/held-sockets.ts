import { readFileSync } from 'node:fs';

/** Connections that a server on this machine holds, as the kernel sees them: what a client claims of its own half says little. */

const LOCAL_ADDRESS = 1;
const STATE = 3;
const INODE = 9;
const LISTENING = '0A';
/** A connection that its process has given up, and that only the kernel still winds down. */
const ORPHAN = '0';
const HEXADECIMAL = 16;

/** Sockets on `port` that a process still has open, listening ones aside. */
export function countHeldSockets(port: number): number {
  const rows = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
  return rows.filter((row) => {
    const fields = row.trim().split(/\s+/);
    const local = Number.parseInt(fields[LOCAL_ADDRESS]?.split(':')[1] ?? '', HEXADECIMAL);
    return local === port && fields[STATE] !== LISTENING && fields[INODE] !== ORPHAN;
  }).length;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { listen, LOOPBACK } from '../../rig/fakes/listen.ts';

/**
 * A network of the drill's own, in which production's settings can be kept: it has an address of the public internet, to
 * which webhooks may go, a name server and the ports of HTTPS. Nothing of it can be seen from the machine, and it ends
 * with the drill. Only the database is outside; a socket file leads there.
 */

/** An address of the public internet; in the drill's network it belongs to the loopback interface. */
export const PUBLIC_ADDRESS = '44.0.0.1';

/**
 * Prepares the network, and becomes the program that the further arguments name. crun refuses machines with control
 * groups of both versions, though it is told to use none: what it would look at is covered.
 */
const PREPARE = `
  ip link set lo up && ip address add ${PUBLIC_ADDRESS}/32 dev lo && mount -t tmpfs tmpfs /sys/fs/cgroup && exec "$@"`;

function join(near: Socket, far: Socket): void {
  near.pipe(far).pipe(near);
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('error', () => other.destroy()).on('close', () => other.destroy());
  }
}

/** Leads connections to a socket file on to a database server. */
export async function startWayOut(socketFile: string, databaseUrl: string): Promise<Server> {
  const { hostname, port } = new URL(databaseUrl);
  const server = createServer((near) => join(near, connect(Number(port), hostname)));
  server.listen(socketFile);
  await once(server, 'listening');
  return server;
}

/** Leads connections to the database server's port on loopback to the socket file. Returns the database's URL there. */
export async function startWayIn(socketFile: string, databaseUrl: string): Promise<{ url: string; server: Server }> {
  const url = new URL(databaseUrl);
  url.hostname = LOOPBACK;
  const server = createServer((near) => join(near, connect(socketFile)));
  await listen(server, Number(url.port));
  return { url: url.href, server };
}

/**
 * Runs a program in a network and a process namespace of its own: when it ends, however it ends, so does everything that
 * it started. Returns what it wrote to standard output.
 */
export async function runInOwnNetwork(command: readonly string[], input: unknown): Promise<string> {
  const alone = ['--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const child = spawn('unshare', [...alone, 'sh', '-c', PREPARE, 'sh', ...command], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(input));
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (child.exitCode !== 0) throw new Error(`The drill's network ended with exit code ${child.exitCode}.`);
  return output;
}

import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';

/** Servers of rigs listen on loopback only, on any free port unless a port is given. */

export const LOOPBACK = '127.0.0.1';

/** Starts listening and returns the port. */
export async function listen(server: Server, port = 0, host = LOOPBACK): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Stops a server and closes its open connections. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  if (server instanceof HttpServer) server.closeAllConnections();
  await closed;
}

/**
 * Ports for processes that require one: below the kernel's ports for connections and for servers on any port, and in
 * blocks. A process occupies its block's first port, so that no other uses the block.
 */
const FIRST_PORT = 11_000;
const BLOCK_PORTS = 100;
const BLOCKS = 190;

const tryToListen = (server: Server, port: number) =>
  listen(server, port).then(
    () => true,
    () => false,
  );

async function occupyBlock(): Promise<number> {
  for (let tried = 0; tried < BLOCKS; tried += 1) {
    const block = FIRST_PORT + ((process.pid + tried) % BLOCKS) * BLOCK_PORTS;
    const keeper = createServer();
    if (!(await tryToListen(keeper, block))) continue;
    keeper.unref();
    return block;
  }
  throw new Error('Every block of ports is occupied.');
}

let occupied: Promise<number> | undefined;
let given = 0;

/** A closed port that is not reused before this process has used all its ports. */
export async function freePort(): Promise<number> {
  occupied ??= occupyBlock();
  const block = await occupied;
  for (let tried = 1; tried < BLOCK_PORTS; tried += 1) {
    const port = block + 1 + (given % (BLOCK_PORTS - 1));
    given += 1;
    const server = createServer();
    if (!(await tryToListen(server, port))) continue;
    await closeServer(server);
    return port;
  }
  throw new Error('Every port of the block is in use.');
}

/** A URL at which nothing listens. */
export async function deadUrl(): Promise<string> {
  return `http://${LOOPBACK}:${await freePort()}`;
}

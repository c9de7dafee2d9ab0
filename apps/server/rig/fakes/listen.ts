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

/** A port that is free now: the preferred port, or any other port when the preferred port is taken. */
export async function freePort(preferred = 0): Promise<number> {
  const server = createServer();
  const port = await listen(server, preferred).catch(() => listen(server));
  await closeServer(server);
  return port;
}

/** A URL at which nothing listens. */
export async function deadUrl(): Promise<string> {
  return `http://${LOOPBACK}:${await freePort()}`;
}

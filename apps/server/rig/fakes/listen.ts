import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createServer } from 'node:net';

/** Servers of rigs: on this machine alone, on a port of their own unless told which. */

export const LOOPBACK = '127.0.0.1';

/** Answers the port. */
export async function listen(server: Server, port = 0, host = LOOPBACK): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Ends a server, and whatever connections it has open. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  if (server instanceof HttpServer) server.closeAllConnections();
  await closed;
}

/** A port where nobody listens now: the preferred one, or any other when that is taken. */
export async function freePort(preferred = 0): Promise<number> {
  const server = createServer();
  const port = await listen(server, preferred).catch(() => listen(server));
  await closeServer(server);
  return port;
}

/** An address where nobody listens. */
export async function deadUrl(): Promise<string> {
  return `http://${LOOPBACK}:${await freePort()}`;
}

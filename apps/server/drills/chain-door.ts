import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import type { Balancer } from '../test/chain/balancer.ts';

/** The way from the workers to a node: a plain one that can be shut, or a balancer with nodes that are behind. */

export type Door = {
  url: string;
  /** How often logs were asked for. */
  reads(): number;
  down(): Promise<void>;
  up(): Promise<void>;
  stop(): Promise<void>;
};

const HOST = '127.0.0.1';

/** Bytes go through as they are: it must cost next to nothing beside what is drilled. */
export async function openDoor(nodeUrl: string): Promise<Door> {
  const nodePort = Number(new URL(nodeUrl).port);
  const open = new Set<Socket>();
  let reads = 0;
  const join = (near: Socket): void => {
    const far = connect(nodePort, HOST);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from
        .on('error', () => to.destroy())
        .on('close', () => {
          open.delete(from);
          to.destroy();
        });
    }
    near.on('data', (chunk: Buffer) => {
      if (chunk.includes('"eth_getLogs"')) reads += 1;
    });
  };
  const server = createServer(join);
  const listen = async (port: number) => {
    server.listen(port, HOST);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const down = () => shut(server, open);
  return {
    url: `http://${HOST}:${port}`,
    reads: () => reads,
    down,
    up: async () => void (await listen(port)),
    stop: down,
  };
}

async function shut(server: Server, open: ReadonlySet<Socket>): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  for (const socket of open) socket.destroy();
  await closed;
}

export function doorOf(balancer: Balancer): Door {
  return {
    url: balancer.url,
    reads: () => balancer.counts().calls['eth_getLogs'] ?? 0,
    down: () => balancer.down(),
    up: () => balancer.up(),
    stop: () => balancer.stop(),
  };
}

import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/**
 * A line to a server that can die in silence, as when a host is lost or a router forgets a connection: what was open neither
 * answers nor closes, and new connections work.
 */

export type DyingLine = {
  port: number;
  /** Whatever is open now is dead from here on. Answers how many connections that were. */
  silence(): number;
  /** How many connections died in silence so far with something to say: bytes of theirs were swallowed. */
  swallowed(): number;
  /** How many are open and alive. */
  alive(): number;
  stop(): Promise<void>;
};

const HOST = '127.0.0.1';

type Line = { near: Socket; far: Socket; dead: boolean; swallowed: boolean };

function join(near: Socket, port: number, lines: Set<Line>): void {
  const far = connect(port, HOST);
  const line: Line = { near, far, dead: false, swallowed: false };
  lines.add(line);
  for (const [from, to] of [
    [near, far],
    [far, near],
  ] as const) {
    from.setNoDelay(true);
    from.on('data', (chunk: Buffer) => {
      if (line.dead) line.swallowed = true;
      else to.write(chunk);
    });
    from.on('error', () => {});
    from.on('close', () => {
      // A dead line tells neither end that the other one is gone.
      if (line.dead) return;
      lines.delete(line);
      to.destroy();
    });
  }
}

/** A door before a server on this machine. */
export async function startDyingLine(port: number): Promise<DyingLine> {
  const lines = new Set<Line>();
  const server = createServer((near) => join(near, port, lines));
  server.listen(0, HOST);
  await once(server, 'listening');
  const alive = () => [...lines].filter(({ dead }) => !dead);
  return {
    port: (server.address() as AddressInfo).port,
    silence: () => {
      const found = alive();
      for (const line of found) line.dead = true;
      return found.length;
    },
    swallowed: () => [...lines].filter((line) => line.dead && line.swallowed).length,
    alive: () => alive().length,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const { near, far } of lines) {
        near.destroy();
        far.destroy();
      }
      await closed;
    },
  };
}

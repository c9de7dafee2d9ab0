import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { closeServer, listen, LOOPBACK } from './listen.ts';

/**
 * A TCP proxy for a server on this machine. Its connections can go silent, as when a host is lost or a router forgets
 * them: a silent connection neither answers nor closes. Connections can also be cut, as when a phone goes offline.
 */

export type TcpProxy = {
  port: number;
  /** The URL of the server as reached through this proxy. */
  through(url: string): string;
  /** Makes all open connections silent from now on. Returns how many connections were open. */
  silence(): number;
  /** Drops the answers on all open connections from now on; requests still arrive. */
  deafen(): void;
  /** Sets whether new connections are silent from the start. */
  swallowNew(swallow: boolean): void;
  /** Number of silent connections on which bytes were lost. */
  swallowed(): number;
  /** Number of silent connections that no client has closed yet. */
  dead(): number;
  /** Number of connections that are open and not silent. */
  alive(): number;
  /** Breaks all open connections, and lets no new connection through until `mend`. */
  cut(): void;
  mend(): void;
  stop(): Promise<void>;
};

type Line = {
  near: Socket;
  far: Socket | undefined;
  dead: boolean;
  deaf: boolean;
  swallowed: boolean;
  givenUp: boolean;
};

function carry(line: Line, from: Socket, to: Socket | undefined, isSwallowed: () => boolean): void {
  from.setNoDelay(true);
  from.on('error', () => {});
  from.on('data', (chunk: Buffer) => {
    if (isSwallowed()) line.swallowed = true;
    else to?.write(chunk);
  });
}

function join(line: Line, lines: Set<Line>): void {
  const { near, far } = line;
  lines.add(line);
  carry(line, near, far, () => line.dead);
  if (far) carry(line, far, near, () => line.dead || line.deaf);
  const end = () => {
    // A silent connection does not signal to either end that the other closed.
    if (line.dead) return;
    lines.delete(line);
    near.destroy();
    far?.destroy();
  };
  near.on('close', () => {
    line.givenUp = true;
    end();
  });
  far?.on('close', end);
}

export async function startTcpProxy(port: number): Promise<TcpProxy> {
  const lines = new Set<Line>();
  let swallowing = false;
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.on('error', () => {}).destroy();
    const far = swallowing ? undefined : connect(port, LOOPBACK);
    return join({ near, far, dead: swallowing, deaf: false, swallowed: false, givenUp: false }, lines);
  });
  const own = await listen(server);
  const breakAll = () => {
    for (const { near, far } of lines) {
      near.destroy();
      far?.destroy();
    }
  };
  const alive = () => [...lines].filter(({ dead }) => !dead);
  return {
    port: own,
    through: (url) => Object.assign(new URL(url), { port: String(own) }).href,
    silence: () => {
      const found = alive();
      for (const line of found) line.dead = true;
      return found.length;
    },
    deafen: () => {
      for (const line of alive()) line.deaf = true;
    },
    swallowNew: (swallow) => {
      swallowing = swallow;
    },
    swallowed: () => [...lines].filter((line) => line.dead && line.swallowed).length,
    dead: () => [...lines].filter((line) => line.dead && !line.givenUp).length,
    alive: () => alive().length,
    cut: () => {
      isCut = true;
      breakAll();
    },
    mend: () => {
      isCut = false;
    },
    stop: async () => {
      const closed = closeServer(server);
      breakAll();
      await closed;
    },
  };
}

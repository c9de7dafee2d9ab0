import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/**
 * A TCP line that can die in silence, as when a host is lost or a NAT entry is gone: what is open then neither answers nor
 * closes, and nobody is told. New connections work, or are swallowed too.
 */

export type SilentLine = {
  /** The given address, through this line. */
  url: string;
  /** Swallows from now on whatever goes over connections that are open. */
  silence: () => void;
  /** Swallows from now on the answers alone: what is asked still arrives. */
  deafen: () => void;
  /** Swallows new connections too, until told otherwise. */
  swallowNew: (swallow: boolean) => void;
  /** Connections that are swallowed and that nobody has given up yet. */
  dead: () => number;
  close: () => Promise<void>;
};

type Pair = { near: Socket; far: Socket | undefined; silent: boolean; deaf: boolean };

export async function startSilentLine(url: string): Promise<SilentLine> {
  const target = new URL(url);
  const pairs = new Set<Pair>();
  let swallowing = false;
  const server = createServer((near) => {
    const far = swallowing ? undefined : connect(Number(target.port), target.hostname);
    const pair: Pair = { near, far, silent: swallowing, deaf: false };
    pairs.add(pair);
    near.on('data', (bytes) => {
      if (!pair.silent) far?.write(bytes);
    });
    far?.on('data', (bytes) => {
      if (!pair.silent && !pair.deaf) near.write(bytes);
    });
    near.on('error', () => {});
    far?.on('error', () => {});
    near.on('close', () => {
      pairs.delete(pair);
      // A dead host hears nothing of it either.
      if (!pair.silent) far?.destroy();
    });
    far?.on('close', () => {
      if (!pair.silent) near.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const near = new URL(url);
  near.port = String((server.address() as AddressInfo).port);
  return {
    url: near.href,
    silence: () => {
      for (const pair of pairs) pair.silent = true;
    },
    deafen: () => {
      for (const pair of pairs) pair.deaf = true;
    },
    swallowNew: (swallow) => {
      swallowing = swallow;
    },
    dead: () => [...pairs].filter((pair) => pair.silent).length,
    close: async () => {
      for (const pair of pairs) {
        pair.near.destroy();
        pair.far?.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}

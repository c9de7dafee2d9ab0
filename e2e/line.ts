import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** The line between a phone and the server. A browser's own "offline" leaves open streams alive; this does not. */

export type Line = {
  /** The page's address through this line. */
  through: (url: string) => string;
  /** Everything open breaks, and nothing new gets through. */
  cut: () => void;
  mend: () => void;
  /** What is open stays open and carries nothing any more, as after a change of network; new connections work. */
  freeze: () => void;
  close: () => void;
};

export async function openLine(target: string): Promise<Line> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<[Socket, Socket]>();
  let isCut = false;
  const server = createServer((near) => {
    near.on('error', () => near.destroy());
    if (isCut) return void near.destroy();
    const far = connect(Number(port), hostname);
    far.on('error', () => near.destroy());
    const pair: [Socket, Socket] = [near, far];
    pairs.add(pair);
    near.pipe(far).pipe(near);
    near.once('close', () => {
      far.destroy();
      pairs.delete(pair);
    });
    far.once('close', () => near.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const breakAll = () => pairs.forEach(([near]) => near.destroy());
  return {
    through: (url) => url.replace(new URL(url).origin, origin),
    cut: () => {
      isCut = true;
      breakAll();
    },
    mend: () => {
      isCut = false;
    },
    freeze: () =>
      pairs.forEach(([near, far]) => {
        near.unpipe(far);
        far.unpipe(near);
      }),
    close: () => {
      breakAll();
      server.close();
    },
  };
}

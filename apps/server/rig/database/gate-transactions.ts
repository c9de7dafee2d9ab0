import type { Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { closeServer, listen, LOOPBACK } from '../fakes/listen.ts';

/**
 * A proxy for a database server that runs something just before a client's transaction begins: what another client
 * commits between the checks of a request and its writes.
 */

export type TransactionGate = {
  /** Returns the URL with which a client connects to a database through this proxy. */
  through(url: string): string;
  /** Runs `act` before a later transaction; the next one is number 0. Replaces what was planned before. */
  before(number: number, act: () => Promise<void>): void;
  /** Cancels the planned call. Returns whether the transaction it waited for has begun. */
  clear(): boolean;
  stop(): Promise<void>;
};

const LENGTH_BYTES = 4;
const TYPE_BYTES = 1;

/** Cuts what a client has sent into messages; the first one has no type. The rest is an unfinished message. */
function cut(bytes: Buffer, isFirst: boolean): { messages: Buffer[]; rest: Buffer } {
  const messages: Buffer[] = [];
  let rest = bytes;
  for (let typed = !isFirst; ; typed = true) {
    const start = typed ? TYPE_BYTES : 0;
    const length = rest.length < start + LENGTH_BYTES ? Infinity : start + rest.readInt32BE(start);
    if (rest.length < length) return { messages, rest };
    messages.push(rest.subarray(0, length));
    rest = rest.subarray(length);
  }
}

const isBegin = (message: Buffer) => message[0] === 'Q'.charCodeAt(0) && /^begin/i.test(message.toString('utf8', 5));

/** Passes a client's messages on one after the other, each after `pause`. */
function pass(near: Socket, far: Socket, pause: (message: Buffer) => Promise<void>): void {
  let waiting: Buffer = Buffer.alloc(0);
  let isFirst = true;
  let last = Promise.resolve();
  const send = async (message: Buffer) => {
    await pause(message);
    far.write(message);
  };
  near.on('data', (chunk: Buffer) => {
    const { messages, rest } = cut(Buffer.concat([waiting, chunk]), isFirst);
    waiting = rest;
    if (messages.length > 0) isFirst = false;
    for (const message of messages) last = last.then(() => send(message));
  });
}

export async function startTransactionGate(databaseUrl: string): Promise<TransactionGate> {
  const { hostname, port } = new URL(databaseUrl);
  let planned: { left: number; act: () => Promise<void> } | undefined;
  let reached = false;
  const pause = async (message: Buffer) => {
    if (!planned || !isBegin(message)) return;
    planned.left -= 1;
    if (planned.left >= 0) return;
    const { act } = planned;
    planned = undefined;
    reached = true;
    await act();
  };
  const server: Server = createServer((near) => {
    const far = connect(Number(port), hostname).setNoDelay(true);
    near.on('error', () => {}).on('close', () => far.destroy());
    far.on('error', () => {}).on('close', () => near.destroy());
    far.pipe(near);
    pass(near, far, pause);
  });
  const own = await listen(server);
  return {
    through: (url) => Object.assign(new URL(url), { hostname: LOOPBACK, port: String(own) }).href,
    before: (number, act) => {
      planned = { left: number, act };
      reached = false;
    },
    clear: () => {
      planned = undefined;
      return reached;
    },
    stop: () => closeServer(server),
  };
}

import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TcpProxy } from '../../rig/fakes/tcp-proxy.ts';
import { startTcpProxy } from '../../rig/fakes/tcp-proxy.ts';

const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
let line: TcpProxy;
const open: Socket[] = [];

beforeEach(async () => {
  if (!echo.listening) {
    echo.listen(0, '127.0.0.1');
    await once(echo, 'listening');
  }
  line = await startTcpProxy((echo.address() as AddressInfo).port);
});
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy();
  await line.stop();
});

async function dial(): Promise<Socket> {
  const socket = connect(line.port, '127.0.0.1');
  open.push(socket);
  await once(socket, 'connect');
  return socket;
}

async function say(socket: Socket, words: string): Promise<string> {
  socket.write(words);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString();
}

test('bytes go through as they are', async () => {
  expect(await say(await dial(), 'hello')).toBe('hello');
});

test('a connection that dies in silence swallows its bytes and stays open; a new one works', async () => {
  const old = await dial();
  await say(old, 'hello');
  expect(line.silence()).toBe(1);
  let heard = 0;
  let closed = false;
  old.on('data', () => (heard += 1)).on('close', () => (closed = true));
  old.write('is anybody there?');
  // Bytes through the dead connection would have arrived before this round trip.
  expect(await say(await dial(), 'and you?')).toBe('and you?');
  expect([heard, closed, line.swallowed(), line.alive()]).toEqual([0, false, 1, 1]);
});

test('a silent connection without bytes is not counted as swallowed', async () => {
  await say(await dial(), 'hello');
  line.silence();
  await say(await dial(), 'new');
  expect(line.swallowed()).toBe(0);
});

test('a deaf connection passes requests on, and swallows the answers', async () => {
  const old = await dial();
  await say(old, 'hello');
  line.deafen();
  let heard = 0;
  old.on('data', () => (heard += 1));
  old.write('is anybody there?');
  await say(await dial(), 'and you?');
  expect([heard, line.alive(), line.dead()]).toEqual([0, 2, 0]);
});

test('a new connection that is swallowed is dead until its client closes it', async () => {
  line.swallowNew(true);
  const swallowed = await dial();
  await expect.poll(() => [line.alive(), line.dead()]).toEqual([0, 1]);
  swallowed.destroy();
  await expect.poll(() => line.dead()).toBe(0);
  line.swallowNew(false);
  expect(await say(await dial(), 'hello')).toBe('hello');
});

test('a cut breaks what is open and refuses what is new, until it is mended', async () => {
  const old = await dial();
  await say(old, 'hello');
  const broken = once(old, 'close');
  line.cut();
  await broken;
  expect(line.alive()).toBe(0);
  const refused = connect(line.port, '127.0.0.1').on('error', () => {});
  open.push(refused);
  await once(refused, 'close');
  line.mend();
  expect(await say(await dial(), 'again')).toBe('again');
});

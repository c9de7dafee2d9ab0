import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { listen, LOOPBACK } from '../fakes/listen.ts';
import { createReceipts, REDIRECT_TARGET } from './receipts.ts';
import type { Mood, Order, Reply } from './receivers.ts';

/**
 * Merchants' receivers on loopback, each on its own port, in a separate process so that neither side delays the other.
 * The process's argument is the number of receivers; messages set moods and ask for receipts.
 */

const SLOW_MS = 250;
const LEISURELY_MS = 20;
const ports = Number(process.argv[2] ?? 1);
const receipts = createReceipts();
const moods = new Map<string, Mood>();
let usual: Mood = 'good';
const hung = new Map<string, Set<ServerResponse>>();

type Answering = { succeed(): void; end(): void };

function accept(response: ServerResponse, answering: Answering): void {
  // A success is not recorded when the sender has disconnected, because it can no longer see the answer.
  if (response.destroyed) return;
  answering.succeed();
  answering.end();
  response.writeHead(200, { 'content-length': 2 }).end('ok');
}

function refuse(response: ServerResponse, answering: Answering, status: number, headers = {}): void {
  answering.end();
  response.writeHead(status, { 'content-length': 0, ...headers }).end();
}

function answer(mood: Mood, response: ServerResponse, answering: Answering): void {
  switch (mood) {
    case 'good':
      accept(response, answering);
      return;
    case 'leisurely':
      setTimeout(() => accept(response, answering), LEISURELY_MS);
      return;
    case 'slow':
      setTimeout(() => accept(response, answering), SLOW_MS);
      return;
    case 'failing':
      refuse(response, answering, 500);
      return;
    case 'busy':
      refuse(response, answering, 429, { 'retry-after': '20' });
      return;
    case 'redirecting':
      refuse(response, answering, 302, { location: REDIRECT_TARGET });
      return;
    case 'resetting':
      answering.end();
      response.destroy();
      return;
    case 'hanging':
  }
}

/** Closes the requests that a hanging receiver held, so that the receiver recovers as if it had been restarted. */
function recover(path: string): void {
  for (const response of hung.get(path) ?? []) response.destroy();
  hung.delete(path);
}

function hold(path: string, response: ServerResponse): void {
  const held = hung.get(path) ?? new Set();
  hung.set(path, held.add(response));
  response.on('close', () => held.delete(response));
}

function countHung(): number {
  return [...hung.values()].reduce((sum, held) => sum + held.size, 0);
}

function openServer(host: string) {
  return createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const path = request.url ?? '';
      const body = Buffer.concat(chunks).toString('utf8');
      const answering = receipts.arrive({ host, path, headers: request.headers, body });
      response.on('close', () => answering.end());
      const mood = moods.get(path) ?? usual;
      if (mood === 'hanging') hold(path, response);
      answer(mood, response, answering);
    });
  });
}

async function openReceiver(index: number): Promise<string> {
  return `http://${LOOPBACK}:${await listen(openServer(`host-${index}`))}`;
}

function reply(message: Reply): void {
  process.send?.(message);
}

process.on('message', (order: Order) => {
  switch (order.kind) {
    case 'moods':
      for (const [path, mood] of Object.entries(order.moods)) {
        moods.set(path, mood);
        if (mood === 'good') recover(path);
      }
      break;
    case 'mood':
      usual = order.mood;
      break;
    case 'expect':
      receipts.expect(order.verifying, order.secrets);
      break;
    case 'forget':
      receipts.forget();
      break;
    case 'report':
      reply({ id: order.id, report: { ...receipts.report(), hanging: countHung() } });
      return;
  }
  reply({ id: order.id });
});
process.on('disconnect', () => process.exit());
const urls = await Promise.all(Array.from({ length: ports }, (_unused, index) => openReceiver(index)));
reply({ id: 0, urls });

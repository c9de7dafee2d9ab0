import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { systemClock } from '../../src/lib/clock.ts';

/** Customers in a separate process: each holds a real socket open and records when an event reached it. */

export type ViewersOrder = { open: { host: string; port: number; transIds: string[] } } | { report: true };
export type ViewersReport = { opened: number } | { arrivals: [marker: string, atMs: number][] };

const OPENED_TOGETHER = 50;
const VIEWERS_PER_ADDRESS = 100;
const MARKER = /"description":"(m\d+)"/g;

const sockets: Socket[] = [];
const arrivals: [string, number][] = [];

function tell(report: ViewersReport): void {
  process.send?.(report);
}

function openViewer(host: string, port: number, transId: string, number: number): Promise<void> {
  const address = Math.floor(number / VIEWERS_PER_ADDRESS);
  const socket = connect(port, host);
  sockets.push(socket);
  socket.setEncoding('utf8');
  socket.write(
    `GET /bill/${transId}/events HTTP/1.1\r\nhost: bench\r\nx-forwarded-for: 10.0.${address >> 8}.${address & 255}\r\n\r\n`,
  );
  return new Promise((resolve, reject) => {
    let started = false;
    socket.on('error', reject);
    socket.on('data', (chunk: string) => {
      const atMs = systemClock.nowMs();
      for (const [, marker = ''] of chunk.matchAll(MARKER)) arrivals.push([marker, atMs]);
      if (started || !chunk.includes('event: view')) return;
      started = true;
      resolve();
    });
    socket.on('close', () => reject(new Error('A stream ended.')));
  });
}

async function openAll(host: string, port: number, transIds: readonly string[]): Promise<void> {
  for (let from = 0; from < transIds.length; from += OPENED_TOGETHER) {
    const together = transIds.slice(from, from + OPENED_TOGETHER);
    await Promise.all(together.map((transId, index) => openViewer(host, port, transId, from + index)));
  }
  tell({ opened: sockets.length });
}

process.on('message', (order: ViewersOrder) => {
  if ('open' in order) void openAll(order.open.host, order.open.port, order.open.transIds);
  else tell({ arrivals });
});

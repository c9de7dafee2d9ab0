import { appendFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { listen, LOOPBACK } from '../../rig/fakes/listen.ts';
import { createDelayChoice } from './choose-delays.ts';
import { createFrontendReader } from './frontend-messages.ts';

/**
 * `pnpm rough delay`: a proxy before PostgreSQL in which a few queries take longer. Arguments: the port of PostgreSQL, a
 * seed, one query in how many, a file that lists the delayed queries, and a text that delayed queries contain. Prints its
 * port.
 */

const DELAY_MS = 1_200;
const SHOWN_CHARACTERS = 160;

const [port = 0, seed = 0, every = 0] = process.argv.slice(2, 5).map(Number);
const [file = '/dev/null', only = ''] = process.argv.slice(5);
const choose = createDelayChoice(seed, every);
const count = { all: 0, delayed: 0 };

/** Writes to a socket in order; everything after `hold` waits. */
function createWriter(from: Socket, to: Socket) {
  let held: Buffer[] | undefined;
  const write = (bytes: Buffer) => {
    if (held) held.push(bytes);
    else if (!to.write(bytes)) from.pause();
  };
  to.on('drain', () => from.resume());
  const hold = () => {
    if (held) return;
    held = [];
    setTimeout(() => {
      const bytes = Buffer.concat(held ?? []);
      held = undefined;
      if (bytes.length > 0) write(bytes);
    }, DELAY_MS);
  };
  return { write, hold };
}

function join(near: Socket, far: Socket): void {
  const read = createFrontendReader();
  const [requests, answers] = [createWriter(near, far), createWriter(far, near)];
  near.on('data', (chunk) => {
    for (const { bytes, query } of read(chunk)) {
      const delay = query?.includes(only) === true ? choose(query) : 'none';
      if (query !== undefined) count.all += 1;
      if (query !== undefined && delay !== 'none') {
        count.delayed += 1;
        const shown = query.replaceAll(/\s+/g, ' ').slice(0, SHOWN_CHARACTERS);
        appendFileSync(file, `${new Date().toISOString()} ${delay} ${shown}\n`);
      }
      if (delay === 'before') requests.hold();
      requests.write(bytes);
      if (delay === 'after') answers.hold();
    }
  });
  far.on('data', answers.write);
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.setNoDelay(true);
    one.on('error', () => {});
    one.on('close', () => other.destroy());
  }
}

process.once('SIGTERM', () => {
  console.error(
    `rough: ${count.delayed} of ${count.all} queries took ${DELAY_MS} ms longer; they are listed in ${file}`,
  );
  process.exit();
});
const server = createServer((near) => join(near, connect(port, LOOPBACK)));
console.log(await listen(server));

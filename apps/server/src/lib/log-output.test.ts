import type { ChildProcess, StdioOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { inheritedEnvironment } from '../../rig/processes/inherited-environment.ts';

/** Processes that log to a full disk, to a reader that is gone, and to one that is slow. */

const HERE = JSON.stringify(import.meta.dirname);
/** A process that every few milliseconds logs a line and writes a dot to standard error, and ends in order on SIGTERM. */
const PROGRAM = `
  const { createLog } = await import(${HERE} + '/log.ts');
  const { stopOnSignal } = await import(${HERE} + '/shutdown.ts');
  const log = createLog('info');
  const filler = 'x'.repeat(Number(process.env['FILLER'] ?? 10));
  let line = 0;
  const timer = setInterval(() => {
    log.info({ line: line++, filler }, 'a line');
    process.stderr.write('.');
  }, 5);
  const fail = process.env['FAIL'];
  process.once('SIGUSR2', () => { throw new Error('on purpose'); });
  stopOnSignal(log, async () => {
    clearInterval(timer);
    process.stderr.write('|');
    if (fail === 'stop') throw new Error('on purpose');
  });`;
/** Dots after which several writes of the log have failed: lines are written every 250 ms. */
const BEATS = 150;

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

const NODE_WORDS = ['--no-warnings', '--input-type=module', '--eval'];

function start(program: string, stdio: StdioOptions, variables: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [...NODE_WORDS, program], {
    stdio,
    env: { ...inheritedEnvironment(), ...variables },
  });
  started.push(child);
  return child;
}

/** Waits until the process has written this many more dots to standard error, which shows that its event loop turns. */
async function beats(child: ChildProcess, count = BEATS): Promise<void> {
  if (count === 0) return;
  let seen = 0;
  for await (const chunk of child.stderr?.iterator({ destroyOnReturn: false }) ?? []) {
    seen += String(chunk).length;
    if (seen >= count) return;
  }
  throw new Error('The process has ended.');
}

async function stop(child: ChildProcess): Promise<unknown[]> {
  child.kill('SIGTERM');
  return once(child, 'exit');
}

const readAll = (stream: Readable | null) => text(stream ?? Readable.from([]));

const linesOf = (output: string) =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { line?: number; lostLines?: number; msg: string });

describe('a process whose log', () => {
  test('goes to a full disk goes on, and ends in order', async () => {
    const full = openSync('/dev/full', 'w');
    const child = start(PROGRAM, ['ignore', full, 'pipe']);
    closeSync(full);
    await beats(child);
    expect(await stop(child)).toEqual([0, null]);
  });

  test('has lost its reader goes on, and ends in order', async () => {
    const child = start(PROGRAM, ['ignore', 'pipe', 'pipe']);
    child.stdout?.destroy();
    await beats(child);
    expect(await stop(child)).toEqual([0, null]);
  });

  test('is not read goes on, ends what is under way, and then does not wait for its reader', async () => {
    const child = start(PROGRAM, ['ignore', 'pipe', 'pipe'], { FILLER: '100000' });
    await beats(child);
    const said = readAll(child.stderr);
    expect(await stop(child)).toEqual([0, null]);
    expect(await said).toMatch(/\|$/);
  });

  test.each([
    ['before the process ends', 100],
    ['just as the process ends', 0],
  ])('goes to a pipe that refuses writes while it is full, and is read %s, loses no line', async (_, beatsAfter) => {
    // Node has its children's output wait instead, so that another program takes this back before the child starts.
    const refuse = 'use Fcntl; fcntl(STDOUT, F_SETFL, O_WRONLY | O_NONBLOCK) or die; exec @ARGV';
    const child = spawn('perl', ['-e', refuse, process.execPath, ...NODE_WORDS, PROGRAM], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...inheritedEnvironment(), FILLER: '4000' },
    });
    started.push(child);
    // Several times as much as a pipe holds, and less than may wait.
    await beats(child, 300);
    const read = readAll(child.stdout);
    await beats(child, beatsAfter);
    expect(await stop(child)).toEqual([0, null]);
    const lines = linesOf(await read);
    expect(lines.filter(({ lostLines }) => lostLines !== undefined)).toEqual([]);
    const written = lines.flatMap(({ line }) => line ?? []);
    expect(written.length).toBeGreaterThanOrEqual(300);
    expect(written).toEqual(Array.from({ length: written.length }, (_line, n) => n));
  });

  test.each<[string, NodeJS.Signals]>([
    ['cannot stop what is under way', 'SIGTERM'],
    ['fails', 'SIGUSR2'],
  ])('is not read and that %s ends with its code', async (_, signal) => {
    const child = start(PROGRAM, ['ignore', 'pipe', 'pipe'], { FILLER: '100000', FAIL: 'stop' });
    const ended = once(child, 'exit');
    await beats(child);
    child.stderr?.resume();
    child.kill(signal);
    expect(await ended).toEqual([1, null]);
  });

  test('went to a disk that was full in the middle of a line tells exactly what is missing, in whole lines', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'counterfoil-log-'));
    const path = join(folder, 'log');
    const file = openSync(path, 'a');
    const words = ['-c', 'trap "" XFSZ; ulimit -f 300; exec "$@"', 'sh', process.execPath, ...NODE_WORDS, PROGRAM];
    const child = spawn('/bin/sh', words, {
      stdio: ['ignore', file, 'pipe'],
      env: { ...inheritedEnvironment(), FILLER: '300' },
    });
    started.push(child);
    closeSync(file);
    await beats(child, 500);
    const first = await readFile(path, 'utf8');
    await truncate(path);
    await beats(child, 100);
    expect(await stop(child)).toEqual([0, null]);
    const second = await readFile(path, 'utf8');
    await rm(folder, { recursive: true });
    // The last line of the first part was cut, and the second part begins with the end of that line.
    expect([first.endsWith('\n'), second.startsWith('\n')]).toEqual([false, true]);
    const lines = linesOf(`${first.slice(0, first.lastIndexOf('\n'))}${second}`);
    const lost = lines.reduce((sum, { lostLines = 0 }) => sum + lostLines, 0);
    const written = lines.flatMap(({ line }) => line ?? []);
    expect(lost).toBeGreaterThan(0);
    expect(written).toEqual(written.toSorted((left, right) => left - right));
    expect(written.length + lost).toBe((written.at(-1) ?? 0) + 1);
  });

  test('was full for a while says afterwards how many lines are missing, and no other line is', async () => {
    // The reader does not read, so that its pipe is full, until far more has been logged than may wait.
    const child = start(PROGRAM, ['ignore', 'pipe', 'pipe'], { FILLER: '100000' });
    await beats(child, 200);
    const read = readAll(child.stdout);
    await beats(child, 50);
    expect(await stop(child)).toEqual([0, null]);
    const lines = linesOf(await read);
    const lost = lines.reduce((sum, { lostLines = 0 }) => sum + lostLines, 0);
    expect(lost).toBeGreaterThan(0);
    const written = lines.flatMap(({ line }) => line ?? []);
    expect(written).toEqual(written.toSorted((left, right) => left - right));
    expect(new Set(written).size).toBe(written.length);
    expect(written.length + lost).toBe((written.at(-1) ?? 0) + 1);
  });

  test.each([
    ['ends by itself', '', 0],
    ['ends at once', 'process.exit(3);', 3],
    ['fails', `throw new Error('on purpose');`, 1],
  ])('%s and its last lines are written', async (_, ending, code) => {
    const program = `
      const { createLog } = await import(${HERE} + '/log.ts');
      const log = createLog('info');
      for (let line = 0; line < 500; line += 1) log.info({ line }, 'ä line');
      ${ending}`;
    const child = start(program, ['ignore', 'pipe', 'ignore']);
    const read = readAll(child.stdout);
    expect(await once(child, 'exit')).toEqual([code, null]);
    expect(linesOf(await read).map(({ line }) => line)).toEqual(Array.from({ length: 500 }, (_line, n) => n));
  });
});

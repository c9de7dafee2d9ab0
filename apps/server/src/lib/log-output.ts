import { spawnSync } from 'node:child_process';
import { write as writeToFile } from 'node:fs';
import { becomeExit } from './become-exit.ts';
import type { Clock } from './clock.ts';

/**
 * Where the log's lines go: a file descriptor that may fail. A full disk, or a reader that is gone or too slow, costs
 * lines of the log and nothing else. Pino's own output repeats a failed write for ever and holds up the whole process.
 */

type LogOutput = {
  write: (line: string) => void;
  /** Calls back once no line waits: all were written or lost. */
  flush: (done?: () => void) => void;
};

type LogOutputOptions = {
  fileDescriptor: number;
  clock: Clock;
  /** Lines are collected until they have so many characters together, or until `flushMs` have passed; then they are written. */
  minCharacters: number;
  flushMs: number;
};

/** Characters of all lines that may wait to be written. Further lines are lost: the reader does not keep up. */
const MAX_WAITING_CHARACTERS = 8 * 1024 * 1024;
/** Failures that pass by themselves: the reader is slow. */
const BUSY = new Set(['EAGAIN', 'EBUSY']);
const BUSY_PAUSE_MS = 100;
/** While the process ends: how long it waits for a write that is under way, and how long its last lines may take. */
const UNDER_WAY_MS = 50;
const LAST_MS = 1_000;
/** Pino's number of the level `warn`. */
const WARN = 40;
const NEW_LINE = 0x0a;

const isBusy = (cause: unknown) => BUSY.has((cause as NodeJS.ErrnoException).code ?? '');

function pauseSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Writes in the background until all is written or a write fails; then tells how many bytes were written. */
function writeAll(fileDescriptor: number, bytes: Buffer, done: (written: number) => void, from = 0): void {
  writeToFile(fileDescriptor, bytes.subarray(from), (cause, count) => {
    const written = from + (cause ? 0 : count);
    const goOn = () => writeAll(fileDescriptor, bytes, done, written);
    if (cause && isBusy(cause)) setTimeout(goOn, BUSY_PAUSE_MS).unref();
    else if (cause || written === bytes.length) done(written);
    else goOn();
  });
}

/**
 * Has another process write the bytes, and ends that process when it takes too long: a write to a pipe that nobody reads
 * never returns.
 */
function writeBounded(fileDescriptor: number, bytes: Buffer): void {
  spawnSync('cat', {
    input: bytes,
    stdio: ['pipe', fileDescriptor, 'ignore'],
    timeout: LAST_MS,
    killSignal: 'SIGKILL',
  });
}

/** How many lines end in these bytes. */
function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEW_LINE); at >= 0; at = bytes.indexOf(NEW_LINE, at + 1)) lines += 1;
  return lines;
}

export function openLogOutput({ fileDescriptor, clock, minCharacters, flushMs }: LogOutputOptions): LogOutput {
  let waiting: string[] = [];
  let waitingCharacters = 0;
  let lostLines = 0;
  /** Whether the last write ended in the middle of a line. */
  let isTorn = false;
  let isWriting = false;
  let isUsed = false;
  const flushed: (() => void)[] = [];

  /** Text that goes before the waiting lines: a line break where the last write cut a line, and how many lines are missing. */
  function writePreface(): string {
    const time = new Date(clock.nowMs()).toISOString();
    const told = { level: WARN, time, lostLines, msg: 'lines of the log could not be written' };
    return `${isTorn ? '\n' : ''}${lostLines > 0 ? `${JSON.stringify(told)}\n` : ''}`;
  }
  function takeLines(): string {
    const text = waiting.join('');
    waiting = [];
    waitingCharacters = 0;
    return text;
  }
  function start(): void {
    if (isWriting) return;
    if (waiting.length === 0) {
      for (const done of flushed.splice(0)) done();
      return;
    }
    isWriting = true;
    const told = lostLines;
    const preface = Buffer.from(writePreface());
    const bytes = Buffer.concat([preface, Buffer.from(takeLines())]);
    writeAll(fileDescriptor, bytes, (written) => {
      isWriting = false;
      if (written >= preface.length) lostLines -= told;
      lostLines += countLines(bytes.subarray(Math.max(written, preface.length)));
      if (written > 0) isTorn = bytes[written - 1] !== NEW_LINE;
      start();
    });
  }
  function end(): void {
    if (isWriting) pauseSync(UNDER_WAY_MS);
    const last = Buffer.from(`${isWriting ? '' : writePreface()}${takeLines()}`);
    if (last.length > 0) writeBounded(fileDescriptor, last);
  }
  function beginUse(): void {
    isUsed = true;
    setInterval(start, flushMs).unref();
    process.once('beforeExit', start);
    process.once('exit', (code) => {
      end();
      // Otherwise the process would wait for a write that never returns.
      if (isWriting) becomeExit(code);
    });
  }

  return {
    write: (line) => {
      if (!isUsed) beginUse();
      if (waitingCharacters + line.length > MAX_WAITING_CHARACTERS) {
        lostLines += 1;
        return;
      }
      waiting.push(line);
      waitingCharacters += line.length;
      if (waitingCharacters >= minCharacters) start();
    },
    flush: (done) => {
      if (done) flushed.push(done);
      start();
    },
  };
}

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

type Writing = {
  /** Called with what is left to write when the output refuses it for now, and with undefined when the next try begins. */
  pause: (rest: Buffer | undefined) => void;
  done: (written: number) => void;
};

/** Writes in the background until all is written or a write fails; then tells how many bytes were written. */
function writeAll(fileDescriptor: number, bytes: Buffer, writing: Writing, from = 0): void {
  writing.pause(undefined);
  writeToFile(fileDescriptor, bytes.subarray(from), (cause, count) => {
    const written = from + (cause ? 0 : count);
    const goOn = () => writeAll(fileDescriptor, bytes, writing, written);
    if (cause && isBusy(cause)) {
      writing.pause(bytes.subarray(written));
      setTimeout(goOn, BUSY_PAUSE_MS).unref();
    } else if (cause || written === bytes.length) writing.done(written);
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

/** Text that goes before the waiting lines: a line break where the last write cut a line, and how many lines are missing. */
function writePreface(at: Date, lostLines: number, isTorn: boolean): string {
  const told = { level: WARN, time: at.toISOString(), lostLines, msg: 'lines of the log could not be written' };
  return `${isTorn ? '\n' : ''}${lostLines > 0 ? `${JSON.stringify(told)}\n` : ''}`;
}

export function openLogOutput({ fileDescriptor, clock, minCharacters, flushMs }: LogOutputOptions): LogOutput {
  let waiting: string[] = [];
  let waitingCharacters = 0;
  let lostLines = 0;
  /** Whether the last write ended in the middle of a line. */
  let isTorn = false;
  let isWriting = false;
  /** What is left of a write that pauses because the output is busy. */
  let paused: Buffer | undefined;
  let isUsed = false;
  const flushed: (() => void)[] = [];

  const preface = () => writePreface(new Date(clock.nowMs()), lostLines, isTorn);
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
    const before = Buffer.from(preface());
    const bytes = Buffer.concat([before, Buffer.from(takeLines())]);
    const done = (written: number) => {
      isWriting = false;
      if (written >= before.length) lostLines -= told;
      lostLines += countLines(bytes.subarray(Math.max(written, before.length)));
      if (written > 0) isTorn = bytes[written - 1] !== NEW_LINE;
      start();
    };
    writeAll(fileDescriptor, bytes, { done, pause: (rest) => (paused = rest) });
  }
  /** Writes what waits. Returns whether a write of the background may still be under way. */
  function end(): boolean {
    const isUnderWay = isWriting && paused === undefined;
    if (isUnderWay) pauseSync(UNDER_WAY_MS);
    const lines = Buffer.from(`${isWriting ? '' : preface()}${takeLines()}`);
    const last = Buffer.concat([paused ?? Buffer.alloc(0), lines]);
    if (last.length > 0) writeBounded(fileDescriptor, last);
    return isUnderWay;
  }
  function beginUse(): void {
    isUsed = true;
    setInterval(start, flushMs).unref();
    process.once('beforeExit', start);
    process.once('exit', (code) => {
      // Otherwise the process would wait for a write that never returns.
      if (end()) becomeExit(code);
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

import { spawnSync } from 'node:child_process';
import { write as writeToFile } from 'node:fs';
import { becomeExit } from './become-exit.ts';
import type { Clock } from './clock.ts';

/**
 * Writes log lines to a file descriptor that may fail. A full disk or slow reader only loses lines; pino's own output
 * repeats a failed write endlessly and blocks the process.
 */

type LogOutput = {
  write: (line: string) => void;
  /** Calls back once all lines are written or lost. */
  flush: (done?: () => void) => void;
};

type LogOutputOptions = {
  fileDescriptor: number;
  clock: Clock;
  /** Lines are written once they have this many characters together, or after `flushMs`. */
  minCharacters: number;
  flushMs: number;
};

/** Most buffered characters; further lines are lost. */
const MAX_WAITING_CHARACTERS = 8 * 1024 * 1024;
/** Temporary failures: the reader is slow. */
const BUSY = new Set(['EAGAIN', 'EBUSY']);
const BUSY_PAUSE_MS = 100;
/** On exit: the wait for a write in progress, and the time for the last lines. */
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
  /** Called with the rest when the output is busy, and with undefined when the next attempt begins. */
  pause: (rest: Buffer | undefined) => void;
  done: (written: number) => void;
};

/** Writes in the background until done or failed, then reports the bytes written. */
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

/** Writes in another process with a time limit: a write to an unread pipe never returns. */
function writeBounded(fileDescriptor: number, bytes: Buffer): void {
  spawnSync('cat', {
    input: bytes,
    stdio: ['pipe', fileDescriptor, 'ignore'],
    timeout: LAST_MS,
    killSignal: 'SIGKILL',
  });
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEW_LINE); at >= 0; at = bytes.indexOf(NEW_LINE, at + 1)) lines += 1;
  return lines;
}

/** Precedes the waiting lines: a line break after a torn line, and the number of lost lines. */
function writePreface(at: Date, lostLines: number, isTorn: boolean): string {
  const told = { level: WARN, time: at.toISOString(), lostLines, msg: 'lines of the log could not be written' };
  return `${isTorn ? '\n' : ''}${lostLines > 0 ? `${JSON.stringify(told)}\n` : ''}`;
}

/** Writes waiting lines regularly, and the last ones when the process exits. */
function writeUntilExit({ start, end, flushMs }: { start: () => void; end: () => boolean; flushMs: number }): void {
  setInterval(start, flushMs).unref();
  process.once('beforeExit', start);
  process.once('exit', (code) => {
    // Otherwise the process would wait for a write that never returns.
    if (end()) becomeExit(code);
  });
}

export function openLogOutput({ fileDescriptor, clock, minCharacters, flushMs }: LogOutputOptions): LogOutput {
  let waiting: string[] = [];
  let waitingCharacters = 0;
  let lostLines = 0;
  let isTorn = false;
  let isWriting = false;
  /** The rest of a paused write. */
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
  /** Writes the buffer. Returns whether a background write may still be in progress. */
  function end(): boolean {
    const isUnderWay = isWriting && paused === undefined;
    if (isUnderWay) pauseSync(UNDER_WAY_MS);
    const lines = Buffer.from(`${isWriting ? '' : preface()}${takeLines()}`);
    const last = Buffer.concat([paused ?? Buffer.alloc(0), lines]);
    if (last.length > 0) writeBounded(fileDescriptor, last);
    return isUnderWay;
  }

  return {
    write: (line) => {
      if (!isUsed) writeUntilExit({ start, end, flushMs });
      isUsed = true;
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

import { write as writeToFile, writeSync } from 'node:fs';
import type { Clock } from './clock.ts';

/**
 * Where the log's lines go: a file descriptor that may fail. A full disk, or a reader that is gone or too slow, costs
 * lines of the log and nothing else. Pino's own output repeats a failed write for ever and holds up the whole process.
 */

type LogOutput = {
  write: (line: string) => void;
  /** Calls back once all lines so far were written or lost. */
  flush: (done?: () => void) => void;
};

type LogOutputOptions = {
  fileDescriptor: number;
  clock: Clock;
  /** Lines wait until they are this long together, or until `flushMs` have passed. */
  minCharacters: number;
  flushMs: number;
};

/** Lines that wait longer than this together are lost: the reader does not keep up. */
const MAX_WAITING_CHARACTERS = 8 * 1024 * 1024;
/** Failures that pass by themselves: the reader is slow. */
const BUSY = new Set(['EAGAIN', 'EBUSY']);
const BUSY_PAUSE_MS = 100;
/** How often the last lines are tried while the process ends, and the pause between two tries. */
const LAST_TRIES = 20;
const LAST_PAUSE_MS = 10;
/** How long lines may take that are being written when the process ends. */
const LAST_WRITE_MS = 50;
const EMPTY = Buffer.alloc(0);
/** Pino's number of the level `warn`. */
const WARN = 40;

const isBusy = (cause: unknown) => BUSY.has((cause as NodeJS.ErrnoException).code ?? '');

function pauseSync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Writes the last lines of a process that ends, as far as that is quick. */
function writeLast(fileDescriptor: number, last: Buffer): void {
  let rest = last;
  for (let tries = 0; rest.length > 0 && tries < LAST_TRIES; tries += 1) {
    try {
      rest = rest.subarray(writeSync(fileDescriptor, rest));
    } catch (cause) {
      if (!isBusy(cause)) return;
      pauseSync(LAST_PAUSE_MS);
    }
  }
}

type LineWriter = {
  /** Writes in the background, one call at a time; tells afterwards whether all of it was written. */
  write: (bytes: Buffer, done: (isWritten: boolean) => void) => void;
  /** Writes what is left, and the last lines, while the process ends. */
  end: (last: Buffer) => void;
};

function createLineWriter(fileDescriptor: number): LineWriter {
  let isWriting = false;
  /** What a slow reader has not taken yet. */
  let left: Buffer = EMPTY;

  const write: LineWriter['write'] = (bytes, done) => {
    isWriting = true;
    writeToFile(fileDescriptor, bytes, (cause, written) => {
      isWriting = false;
      if (cause && isBusy(cause)) pause(bytes, done);
      else if (cause) done(false);
      else if (written < bytes.length) write(bytes.subarray(written), done);
      else done(true);
    });
  };
  const pause: LineWriter['write'] = (bytes, done) => {
    left = bytes;
    setTimeout(() => {
      left = EMPTY;
      write(bytes, done);
    }, BUSY_PAUSE_MS).unref();
  };
  return {
    write,
    end: (last) => {
      // Lines that are just being written come first.
      if (isWriting) pauseSync(LAST_WRITE_MS);
      writeLast(fileDescriptor, Buffer.concat([left, last]));
    },
  };
}

export function openLogOutput({ fileDescriptor, clock, minCharacters, flushMs }: LogOutputOptions): LogOutput {
  const writer = createLineWriter(fileDescriptor);
  let waiting: string[] = [];
  let waitingCharacters = 0;
  let lostLines = 0;
  let isWriting = false;
  let isUsed = false;
  const flushed: (() => void)[] = [];

  function take(): string {
    const text = waiting.join('');
    waiting = [];
    waitingCharacters = 0;
    return text;
  }
  function lossLine(): string {
    const time = new Date(clock.nowMs()).toISOString();
    return `${JSON.stringify({ level: WARN, time, lostLines, msg: 'lines of the log could not be written' })}\n`;
  }
  function start(): void {
    if (isWriting) return;
    if (waiting.length === 0) {
      for (const done of flushed.splice(0)) done();
      return;
    }
    isWriting = true;
    const lines = waiting.length;
    const told = lostLines;
    writer.write(Buffer.from(told > 0 ? `${lossLine()}${take()}` : take()), (isWritten) => {
      isWriting = false;
      lostLines += isWritten ? -told : lines;
      start();
    });
  }
  function beginUse(): void {
    isUsed = true;
    setInterval(start, flushMs).unref();
    process.once('exit', () => writer.end(Buffer.from(take())));
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

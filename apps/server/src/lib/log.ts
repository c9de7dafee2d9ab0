import { pino } from 'pino';
import type { Logger } from 'pino';
import { systemClock } from './clock.ts';
import { openLogOutput } from './log-output.ts';
import { VERSION } from './version.ts';

const STANDARD_OUTPUT = 1;
const BUFFER_CHARACTERS = 4_096;
const FLUSH_MS = 250;
/** Names of fields that hold a secret. */
const SECRETS = [
  'apiKey',
  'apiSecret',
  'passphrase',
  'credentials',
  'secret',
  'password',
  'signature',
  'authorization',
  'cookie',
];

/**
 * The log: JSON lines on standard output. Headers and bodies are never logged whole; fields that could hold a secret
 * are removed.
 */
export function createLog(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: {
        paths: [
          ...SECRETS,
          ...SECRETS.map((name) => `*.${name}`),
          'headers',
          'body',
          'err.parameters',
          // The `detail` of a PostgreSQL error is not logged, because it repeats the values of the refused row.
          'err.detail',
          'err.where',
          'err.internalQuery',
        ],
        censor: '[redacted]',
      },
    },
    openLogOutput({
      fileDescriptor: STANDARD_OUTPUT,
      clock: systemClock,
      minCharacters: level === 'debug' ? 0 : BUFFER_CHARACTERS,
      flushMs: FLUSH_MS,
    }),
  );
}

/** Opens the log of a process. Its first line says what runs. */
export function startLog(process: string, level: string): Logger {
  const log = createLog(level);
  log.info({ process, ...VERSION }, 'starting');
  return log;
}

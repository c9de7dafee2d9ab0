import { pino } from 'pino';
import type { Logger } from 'pino';
import { systemClock } from './clock.ts';
import { openLogOutput } from './log-output.ts';
import { VERSION } from './version.ts';

const STANDARD_OUTPUT = 1;
const BUFFER_CHARACTERS = 4_096;
const FLUSH_MS = 250;
/** Names of fields with secrets. */
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

/** JSON lines. Headers and bodies are never logged whole; fields that may hold secrets are removed. */
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
          // `detail` of a PostgreSQL error repeats the values of the refused row.
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

/** Opens the log. Its first line has process and version. */
export function startLog(process: string, level: string): Logger {
  const log = createLog(level);
  log.info({ process, ...VERSION }, 'starting');
  return log;
}

import { pino } from 'pino';
import type { Logger } from 'pino';

const BUFFER_BYTES = 4_096;

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
          'apiKey',
          'secret',
          'password',
          'passphrase',
          'apiSecret',
          'credentials',
          'signature',
          'cookie',
          'authorization',
          'headers',
          'body',
          '*.apiKey',
          '*.secret',
          '*.password',
          '*.passphrase',
          '*.apiSecret',
          '*.credentials',
          '*.signature',
          '*.cookie',
          'err.parameters',
          // PostgreSQL repeats the row that it refused.
          'err.detail',
          'err.where',
          'err.internalQuery',
        ],
        censor: '[redacted]',
      },
    },
    pino.destination({ sync: false, minLength: level === 'debug' ? 0 : BUFFER_BYTES, periodicFlush: 250 }),
  );
}

import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/**
 * The verifier of a password as PostgreSQL stores it (RFC 5803). It is made here, as psql does, because a password that
 * is sent in a statement stands in the server's log when statements are logged.
 */

/** As many rounds as PostgreSQL itself takes. */
const ITERATIONS = 4_096;
const SALT_BYTES = 16;
const KEY_BYTES = 32;

export function scramVerifier(password: string, salt: Buffer = randomBytes(SALT_BYTES)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, KEY_BYTES, 'sha256');
  const keyFor = (use: string) => createHmac('sha256', salted).update(use).digest();
  const storedKey = createHash('sha256').update(keyFor('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${keyFor('Server Key').toString('base64')}`;
}

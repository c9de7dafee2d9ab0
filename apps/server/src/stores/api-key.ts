import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ALPHANUMERIC, randomText } from '../lib/random.ts';

/** An API key: `cf_live_` or `cf_test_`, the store's shard, 31 random characters (184 bits) and a checksum of 6. */

const RANDOM_LENGTH = 31;
const CHECKSUM_LENGTH = 6;
const FORM = /^cf_(?:live|test)_[A-Z0-9][A-Za-z0-9]{31}[A-Za-z0-9]{6}$/;
const API_KEY_LENGTH = 'cf_live_'.length + 1 + RANDOM_LENGTH + CHECKSUM_LENGTH;

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = ALPHANUMERIC.charAt(rest % ALPHANUMERIC.length) + digits;
    rest = Math.floor(rest / ALPHANUMERIC.length);
  }
  return digits;
}

export function createApiKeyText(live: boolean, shard: string): string {
  const body = `cf_${live ? 'live' : 'test'}_${shard}${randomText(ALPHANUMERIC, RANDOM_LENGTH)}`;
  return body + checksum(body);
}

/** Whether a text has the form and checksum of a key, so that others are not looked up. */
export function isWellFormedApiKey(text: string): boolean {
  if (text.length !== API_KEY_LENGTH || !FORM.test(text)) return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return checksum(body) === text.slice(-CHECKSUM_LENGTH);
}

/** A random key of 184 bits needs no slow hash, and the lookup compares hashes, never the key itself. */
export function hashApiKey(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function apiKeyHint(text: string): string {
  return text.slice(-4);
}

import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Surroundings } from '../lib/client-address.ts';
import { createFairQueue } from '../lib/fair-queue.ts';
import { Refusal } from '../lib/refusal.ts';
import { isCommonPassword } from './common-password.ts';

export const PASSWORD_LENGTH = { minimum: 12, maximum: 128 } as const;
/** Fewest different characters: `aaaaaaaaaaaa` is long and easily guessed. */
const MIN_DIFFERENT = 5;

type PasswordFault = 'too-short' | 'too-long' | 'too-simple' | 'too-common';

/** The reason to refuse a password, if any. */
export async function findPasswordFault(password: string, mailAddress: string): Promise<PasswordFault | undefined> {
  const characters = Array.from(password.normalize('NFKC'));
  // Several spaces in a row count as one: they add length but hardly any strength.
  const counted = Array.from(password.normalize('NFKC').replaceAll(/ +/g, ' '));
  if (counted.length < PASSWORD_LENGTH.minimum) return 'too-short';
  if (characters.length > PASSWORD_LENGTH.maximum) return 'too-long';
  if (new Set(characters).size < MIN_DIFFERENT) return 'too-simple';
  const [mailbox = mailAddress] = mailAddress.split('@');
  return (await isCommonPassword(password, [mailAddress, mailbox])) ? 'too-common' : undefined;
}

/** Parameters of argon2id: 19 MiB of memory, two passes, one lane. Hashes with other parameters are replaced. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const PREFIX = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$`;
const STORED =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,128})$/;

const derive = promisify(argon2);
const encode = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');

/** Who waits for a hash: a known user (by session, link or device), or a stranger by network. */
type Hasher = { known: string } | { stranger: Surroundings };

export const HASHES_WAITING = { known: 20, strangers: 10 };
const KNOWN = createFairQueue({ atOnce: 1, waiting: HASHES_WAITING.known });
const STRANGERS = createFairQueue({ atOnce: 1, waiting: HASHES_WAITING.strangers });
const RETRY_SECONDS = 2;

type Parameters = { memory: number; passes: number; parallelism: number; tagLength: number };

/** Passwords are compared in NFKC form: keyboards encode the same letter in several ways. */
async function hashWith(password: string, salt: Buffer, parameters: Parameters, by: Hasher): Promise<Buffer> {
  const release = await ('known' in by
    ? KNOWN.enter({ site: by.known, block: by.known })
    : STRANGERS.enter(by.stranger));
  if (!release) throw new Refusal('TOO_BUSY', { retryAfterSeconds: RETRY_SECONDS });
  try {
    const message = Buffer.from(password.normalize('NFKC'), 'utf8');
    return await derive('argon2id', { message, nonce: salt, ...parameters });
  } finally {
    release();
  }
}

/** The result is in the usual text form, with parameters and salt. */
export async function hashPassword(password: string, by: Hasher): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const parameters = { memory: MEMORY_KIB, passes: PASSES, parallelism: LANES, tagLength: HASH_BYTES };
  return `${PREFIX}${encode(salt)}$${encode(await hashWith(password, salt, parameters, by))}`;
}

/** Makes checking an unknown person's password take as long as a known one's. */
export const NOBODYS_HASH = `${PREFIX}${encode(Buffer.alloc(SALT_BYTES))}$${encode(Buffer.alloc(HASH_BYTES))}`;

export async function isPassword(password: string, stored: string, by: Hasher): Promise<boolean> {
  const [, memory, passes, lanes, salt, hash] = STORED.exec(stored) ?? [];
  if (hash === undefined || salt === undefined) throw new Error('A stored password has an unknown form.');
  const expected = Buffer.from(hash, 'base64');
  const parameters = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(lanes),
    tagLength: expected.length,
  };
  return timingSafeEqual(await hashWith(password, Buffer.from(salt, 'base64'), parameters, by), expected);
}

export const needsNewHash = (stored: string) => !stored.startsWith(PREFIX);

import { dictionary } from '@zxcvbn-ts/language-common';
import { describe, expect, test } from 'vitest';
import { clientSurroundings } from '../lib/client-address.ts';
import {
  findPasswordFault,
  HASHES_WAITING,
  hashPassword,
  isPassword,
  needsNewHash,
  NOBODYS_HASH,
  PASSWORD_LENGTH,
} from './password.ts';

const ADDRESS = 'ada@acme.test';
const ADA = { known: 'ada' };

describe('a password is', () => {
  test.each([
    ['accepted with twelve characters', 'horse-staple', undefined],
    ['accepted with spaces', 'correct horse battery', undefined],
    ['accepted with letters of any script', 'Ünïcodé-шифр-密码', undefined],
    ['accepted with 128 characters', 'ab1cd'.repeat(26).slice(2), undefined],
    ['refused with eleven characters', 'horse-stapl', 'too-short'],
    ['refused with eleven characters that take many bytes', '🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎🐎', 'too-short'],
    ['refused with 129 characters', 'ab1cd'.repeat(26).slice(1), 'too-long'],
    ['refused with twelve characters that are mostly spaces', 'ab cd       e', 'too-short'],
    ['refused if it repeats few characters', 'abababababab', 'too-simple'],
    ['refused if guessers try it first', 'password1234', 'too-common'],
    ['refused if guessers try it first, in capitals', 'QWERTYUIOP123', 'too-common'],
    ['refused if it is the mail address', 'Ada@Acme.test', 'too-common'],
    ['refused as a common password with digits', 'iloveyou1234', 'too-common'],
    ['refused as a common password with signs for letters and digits', 'P@ssw0rd1234', 'too-common'],
    ['refused as a common password with a sign for its last letter', 'trustn01!!!!!!', 'too-common'],
    ['refused as a common password in punctuation', '!!Sunshine!!2024', 'too-common'],
    ['refused as a common password with separators', 's u n s h i n e', 'too-common'],
    ['refused as a common password twice', 'dragonDRAGON7', 'too-common'],
    ['refused as a row of digits', '1234567890123', 'too-common'],
    ['refused as the name of this service', 'Counterfoil123', 'too-common'],
    ['refused as the name before the at sign', 'lovelace-2026', 'too-common'],
    ['accepted as several common words', 'dragon monkey sunshine', undefined],
    ['accepted as a common word with more digits than anyone appends', 'dragon 827391827364', undefined],
    ['accepted as a random number', '827391827364', undefined],
    ['accepted as random characters that end in digits', 'xq7vhw2kzp90', undefined],
  ])('%s', async (_title, password, fault) => {
    expect(await findPasswordFault(password, password.startsWith('love') ? 'Lovelace@acme.test' : ADDRESS)).toBe(fault);
  });

  test('accepted if it joins four words of a dice list', async () => {
    const words = dictionary['diceware-common'].map(String);
    const long: string[] = [];
    for (let at = 0; at + 4 <= words.length; at += 97) long.push(words.slice(at, at + 4).join(' '));
    const passphrases = long.filter((passphrase) => passphrase.length >= PASSWORD_LENGTH.minimum);
    expect(passphrases.length).toBeGreaterThan(70);
    const faults = await Promise.all(passphrases.map((passphrase) => findPasswordFault(passphrase, ADDRESS)));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });
});

describe('a stored password', () => {
  test('is recognised, also when a keyboard writes its letters in another form', async () => {
    const stored = await hashPassword('cafe\u0301 au lait!', ADA);
    expect(await isPassword('caf\u00e9 au lait!', stored, ADA)).toBe(true);
    expect(await isPassword('cafe au lait!', stored, ADA)).toBe(false);
  });

  test('is salted: the same password is never stored twice in the same way', async () => {
    expect(await hashPassword('horse-staple', ADA)).not.toBe(await hashPassword('horse-staple', ADA));
  });

  test('of nobody is no password', async () => {
    expect(await isPassword('', NOBODYS_HASH, ADA)).toBe(false);
    expect(await isPassword('horse-staple', NOBODYS_HASH, ADA)).toBe(false);
  });

  test('with weaker parameters is recognised and to be made anew', async () => {
    const stored = await hashPassword('horse-staple', ADA);
    expect(needsNewHash(stored)).toBe(false);
    expect(needsNewHash(stored.replace('m=19456', 'm=4096'))).toBe(true);
  });

  test('of an unknown form is a fault and no wrong password', async () => {
    await expect(isPassword('horse-staple', 'plain:horse-staple', ADA)).rejects.toThrow('unknown form');
  });
});

test('password checks of strangers are bounded, and do not refuse those of known users', async () => {
  const checks = Array.from({ length: HASHES_WAITING.strangers + 5 }, () =>
    isPassword('horse-staple', NOBODYS_HASH, { stranger: clientSurroundings('203.0.113.9') }),
  );
  const known = isPassword('horse-staple', NOBODYS_HASH, ADA);
  const ended = await Promise.allSettled(checks);
  expect(await known).toBe(false);
  expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(HASHES_WAITING.strangers + 1);
  expect(ended.slice(HASHES_WAITING.strangers + 1)).toMatchObject(
    Array.from({ length: 4 }, () => ({ status: 'rejected', reason: { code: 'TOO_BUSY' } })),
  );
});

test('strangers from many networks take turns, so that a crowd delays a newcomer by one check', async () => {
  const ended: string[] = [];
  const check = async (address: string) => {
    await isPassword('horse-staple', NOBODYS_HASH, { stranger: clientSurroundings(address) }).catch(() => undefined);
    ended.push(address);
  };
  const crowd = Array.from({ length: HASHES_WAITING.strangers }, (_, index) => check(`2001:db8:1:${index}::1`));
  await Promise.all([...crowd, check('203.0.113.9')]);
  expect(ended.slice(0, 2)).toEqual(['2001:db8:1:0::1', '203.0.113.9']);
});

test('known users take turns, so that one of them delays another by one check', async () => {
  const ended: string[] = [];
  const check = async (known: string) => {
    await isPassword('horse-staple', NOBODYS_HASH, { known });
    ended.push(known);
  };
  await Promise.all([...Array.from({ length: 4 }, () => check('ada')), check('bob')]);
  expect(ended).toEqual(['ada', 'bob', 'ada', 'ada', 'ada']);
});

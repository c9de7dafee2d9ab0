import { describe, expect, test } from 'vitest';
import { findNetwork } from '../../../rig/chains/networks.ts';
import { TOKEN_PROGRAM } from './derive-token-account.ts';
import { decodeCredits, decodeTransaction } from './solana-decode.ts';
import { referencesOf } from './solana-references.ts';

const network = findNetwork('SOL') ?? expect.unreachable('There is no SOL in our list.');
const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const SYSTEM = '11111111111111111111111111111111';
const LAMPORTS = 10_000_000_000;

type Token = { at: number; owner?: string; units: string; mint?: string; program?: string | null };
type Parts = {
  keys?: string[];
  loaded?: { writable: string[]; readonly: string[] };
  before?: Token[];
  after?: Token[];
  lamports?: [number, number][];
  err?: unknown;
  fee?: number;
  instructions?: { programIdIndex: number; accounts: number[] }[];
  readOnly?: number;
};

function balance({ at, owner, units, mint = USDT, program = TOKEN_PROGRAM }: Token) {
  return {
    accountIndex: at,
    mint,
    ...(owner !== undefined && { owner }),
    ...(program !== null && { programId: program }),
    uiTokenAmount: { amount: units, decimals: 6 },
  };
}

/**
 * A transaction with its accounts: the payer who signs, the payer's token account, the wallet's token account, and the
 * wallet.
 */
function transactionOf(parts: Parts) {
  const keys = parts.keys ?? ['payer', 'payerTokens', 'walletTokens', 'wallet', SYSTEM];
  const count = keys.length + (parts.loaded ? parts.loaded.writable.length + parts.loaded.readonly.length : 0);
  const lamports = parts.lamports ?? Array.from({ length: count }, (): [number, number] => [LAMPORTS, LAMPORTS]);
  return {
    slot: 5,
    blockTime: 1_000,
    meta: {
      err: parts.err ?? null,
      fee: parts.fee ?? 5_000,
      preBalances: lamports.map(([before]) => before),
      postBalances: lamports.map(([, after]) => after),
      preTokenBalances: (parts.before ?? []).map(balance),
      postTokenBalances: (parts.after ?? []).map(balance),
      ...(parts.loaded && { loadedAddresses: parts.loaded }),
      innerInstructions: [],
    },
    transaction: {
      signatures: ['signature'],
      message: {
        header: {
          numRequiredSignatures: 1,
          numReadonlySignedAccounts: 0,
          numReadonlyUnsignedAccounts: parts.readOnly ?? 1,
        },
        accountKeys: keys,
        instructions: parts.instructions ?? [],
      },
    },
  };
}

const creditsOf = (parts: Parts) => decodeCredits(decodeTransaction(transactionOf(parts)), 'wallet', network);
const keysOf = (parts: Parts) => referencesOf(decodeTransaction(transactionOf(parts)));
const still: [number, number] = [LAMPORTS, LAMPORTS];
const payerPaid = (units: number): [number, number] => [LAMPORTS, LAMPORTS - units - 5_000];

describe('tokens', () => {
  const paid = [{ at: 1, owner: 'payer', units: '90' }];
  const had = [{ at: 1, owner: 'payer', units: '100' }];

  test.each<[string, Parts, bigint | null]>([
    [
      'an account that was not there had nothing',
      { before: had, after: [...paid, { at: 2, owner: 'wallet', units: '10' }] },
      10n,
    ],
    [
      'only what was added counts',
      { before: [{ at: 2, owner: 'wallet', units: '7' }], after: [{ at: 2, owner: 'wallet', units: '10' }] },
      3n,
    ],
    [
      'a balance that fell is no credit',
      { before: [{ at: 2, owner: 'wallet', units: '7' }], after: [{ at: 2, owner: 'wallet', units: '6' }] },
      null,
    ],
    [
      'a balance that is as before is none',
      { before: [{ at: 2, owner: 'wallet', units: '7' }], after: [{ at: 2, owner: 'wallet', units: '7' }] },
      null,
    ],
    ['a closed account held something before', { before: [{ at: 2, owner: 'wallet', units: '7' }], after: [] }, null],
    ['the owner counts, not the account', { after: [{ at: 2, owner: 'other', units: '10' }] }, null],
    ['the mint counts, not its name', { after: [{ at: 2, owner: 'wallet', units: '10', mint: 'lookalike' }] }, null],
    [
      'another token program is refused',
      { after: [{ at: 2, owner: 'wallet', units: '10', program: TOKEN_2022 }] },
      null,
    ],
    [
      'a node that leaves the program out is believed',
      { after: [{ at: 2, owner: 'wallet', units: '10', program: null }] },
      10n,
    ],
    [
      'from one own account to another nothing came',
      {
        before: [{ at: 1, owner: 'wallet', units: '9' }],
        after: [
          { at: 1, owner: 'wallet', units: '0' },
          { at: 2, owner: 'wallet', units: '9' },
        ],
      },
      null,
    ],
    [
      'two own accounts count together',
      {
        after: [
          { at: 1, owner: 'wallet', units: '4' },
          { at: 2, owner: 'wallet', units: '9' },
        ],
      },
      13n,
    ],
    [
      'digits above 2^53 are kept',
      { after: [{ at: 2, owner: 'wallet', units: '18446744073709551615' }] },
      18_446_744_073_709_551_615n,
    ],
    [
      'what failed moved nothing, whatever is said beside it',
      { err: { InstructionError: [0, 'Custom'] }, after: [{ at: 2, owner: 'wallet', units: '10' }] },
      null,
    ],
  ])('%s', (_rule, parts, units) => {
    const credits = creditsOf(parts).map((credit) => [credit.token, credit.index, credit.units]);
    expect(credits).toEqual(units === null ? [] : [['USDT', 'USDT:wallet', units]]);
  });

  test('the sender of tokens is whose balance fell most, else who paid the fee', () => {
    const after = [{ at: 2, owner: 'wallet', units: '10' }];
    const before = [
      { at: 0, owner: 'fell little', units: '1' },
      { at: 1, owner: 'fell most', units: '9' },
    ];
    expect(creditsOf({ before, after })[0]?.from).toBe('fell most');
    expect(creditsOf({ after })[0]?.from).toBe('payer');
  });

  test('a token balance without an owner is not passed over', () => {
    expect(() => creditsOf({ after: [{ at: 2, units: '10' }] })).toThrow('no owner');
  });
});

describe('coins', () => {
  test.each<[string, Parts, bigint | null]>([
    ['what the wallet gained', { lamports: [payerPaid(7), still, still, [0, 7], still] }, 7n],
    ['not what it lost', { lamports: [still, still, still, [9, 7], still] }, null],
    [
      'not what its token account gained',
      { lamports: [payerPaid(7), still, [0, 7], still, still], after: [{ at: 2, owner: 'wallet', units: '0' }] },
      null,
    ],
    [
      'beside a token account that the payer made for it',
      { lamports: [payerPaid(9), still, [0, 2], [0, 7], still], after: [{ at: 2, owner: 'wallet', units: '0' }] },
      7n,
    ],
    [
      'not the rent of its own closed account',
      { lamports: [still, still, [9, 0], [0, 9], still], before: [{ at: 2, owner: 'wallet', units: '0' }] },
      null,
    ],
    [
      'not what it unwrapped',
      {
        lamports: [still, still, [9, 0], [0, 9], still],
        before: [{ at: 2, owner: 'wallet', units: '9', mint: 'wrapped' }],
      },
      null,
    ],
    [
      'what came beside its own',
      { lamports: [payerPaid(5), still, [9, 0], [0, 14], still], before: [{ at: 2, owner: 'wallet', units: '0' }] },
      5n,
    ],
  ])('%s', (_rule, parts, units) => {
    const coins = creditsOf(parts).filter((credit) => credit.token === 'SOL');
    expect(coins.map((credit) => [credit.index, credit.units])).toEqual(
      units === null ? [] : [['native:wallet', units]],
    );
  });

  test('the sender of coins is whose balance fell most, not counting the fee', () => {
    const lamports: [number, number][] = [payerPaid(0), [50, 40], still, [0, 10], still];
    expect(creditsOf({ lamports })[0]?.from).toBe('payerTokens');
    expect(creditsOf({ lamports: [payerPaid(7), still, still, [0, 7], still] })[0]?.from).toBe('payer');
  });

  test('a balance of coins that JSON has rounded is not guessed at', () => {
    const rounded: [number, number] = [0, 2 ** 60];
    expect(() => creditsOf({ lamports: [still, still, still, rounded, still] })).toThrow('exactly');
    // A rounded balance of another address does no harm.
    expect(creditsOf({ lamports: [rounded, still, still, [0, 7], still] })[0]?.units).toBe(7n);
  });
});

describe('accounts from lookup tables', () => {
  test('addresses from lookup tables follow those of the message: writable first, then read-only', () => {
    const loaded = { writable: ['other', 'wallet'], readonly: ['reference'] };
    const keys = ['payer', SYSTEM];
    const lamports: [number, number][] = [[9, 2], still, still, [0, 7], still];
    expect(creditsOf({ keys, loaded, lamports, fee: 0 })).toMatchObject([{ units: 7n, from: 'payer' }]);
    expect(referencesOf(decodeTransaction(transactionOf({ keys, loaded })))).toEqual(['reference']);
  });

  test('a transaction without its addresses from lookup tables is refused', () => {
    expect(() => decodeTransaction(transactionOf({ lamports: [still, still] }))).toThrow('does not name');
  });
});

describe('references', () => {
  test('references are read-only and no program, sysvar, mint or owner', () => {
    const keys = [
      'payer',
      'payerTokens',
      'writable',
      SYSTEM,
      'SysvarRent111111111111111111111111111111111',
      USDT,
      'program',
      'wallet',
      'reference',
    ];
    const after = [{ at: 1, owner: 'wallet', units: '1' }];
    const instructions = [{ programIdIndex: 6, accounts: [1, 2] }];
    expect(keysOf({ keys, after, instructions, readOnly: 6 })).toEqual(['reference']);
  });

  test('references that a transfer names are not crowded out by a long transaction', () => {
    const crowd = Array.from({ length: 20 }, (_unused, index) => `read${index}`);
    const keys = ['payer', 'wallet', ...crowd, 'reference', SYSTEM];
    const instructions = [{ programIdIndex: keys.length - 1, accounts: [0, 1, keys.length - 2] }];
    const references = keysOf({ keys, instructions, readOnly: keys.length - 2 });
    expect(references[0]).toBe('reference');
    expect(references).toHaveLength(8);
  });
});

test.each([null, {}, { slot: 1 }, { ...transactionOf({}), meta: null }])('%j is no transaction', (raw) => {
  expect(() => decodeTransaction(raw)).toThrow('malformed transaction');
});

import { randomBytes } from 'node:crypto';
import type { Address, EncodedAccount } from '@solana/kit';
import { address, getAddressDecoder, getAddressEncoder, lamports } from '@solana/kit';
import type { LiteSVM } from 'litesvm';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './instructions.ts';

/**
 * Accounts in the state of the virtual machine: the rig writes mints, balances and lookup tables into this state
 * directly.
 */

const encoder = getAddressEncoder();
const decoder = getAddressDecoder();

const MINT_BYTES = 82;
const MINT_SUPPLY_AT = 36;
const MINT_DECIMALS_AT = 44;
const MINT_INITIALIZED_AT = 45;
const TOKEN_BYTES = 165;
const TOKEN_OWNER_AT = 32;
const TOKEN_AMOUNT_AT = 64;
const TOKEN_STATE_AT = 108;
const RENT_FREE_LAMPORTS = 10_000_000n;
const LOOKUP_TABLE_PROGRAM = address('AddressLookupTab1e1111111111111111111111111');
const LOOKUP_TABLE_HEAD_BYTES = 56;

/** An address without a known key; the rig checks no signatures, so such an address can also pay. */
export function randomAddress(): Address {
  return decoder.decode(randomBytes(32));
}

function put(svm: LiteSVM, at: Address, programAddress: Address, data: Uint8Array, held = RENT_FREE_LAMPORTS): void {
  const account: EncodedAccount = {
    address: at,
    data,
    executable: false,
    lamports: lamports(held),
    programAddress,
    space: BigInt(data.length),
  };
  svm.setAccount(account);
}

export type MintOptions = { decimals: number; program?: Address };

export function putMint(svm: LiteSVM, mint: Address, { decimals, program = TOKEN_PROGRAM }: MintOptions): void {
  const data = Buffer.alloc(MINT_BYTES);
  data.writeBigUInt64LE(2n ** 64n - 1n, MINT_SUPPLY_AT);
  data.writeUInt8(decimals, MINT_DECIMALS_AT);
  data.writeUInt8(1, MINT_INITIALIZED_AT);
  put(svm, mint, program, data);
}

/** Writes a token account that holds these units. */
export function putToken(
  svm: LiteSVM,
  at: Address,
  token: { mint: Address; owner: Address; units: bigint; program?: Address },
): void {
  const data = Buffer.alloc(TOKEN_BYTES);
  data.set(encoder.encode(token.mint), 0);
  data.set(encoder.encode(token.owner), TOKEN_OWNER_AT);
  data.writeBigUInt64LE(token.units, TOKEN_AMOUNT_AT);
  data.writeUInt8(1, TOKEN_STATE_AT);
  put(svm, at, token.program ?? TOKEN_PROGRAM, data);
}

/** Writes a token account of wrapped coins: a flag marks it, and its lamports are the balance. */
export function putWrapped(svm: LiteSVM, at: Address, token: { mint: Address; owner: Address; units: bigint }): void {
  putToken(svm, at, token);
  const found = svm.getAccount(at);
  if (!found.exists) throw new Error('The account was not written.');
  const data = Buffer.from(found.data);
  data.writeUInt32LE(1, TOKEN_STATE_AT + 1);
  data.writeBigUInt64LE(RENT_FREE_LAMPORTS, TOKEN_STATE_AT + 5);
  put(svm, at, TOKEN_PROGRAM, data, RENT_FREE_LAMPORTS + token.units);
}

export function putLamports(svm: LiteSVM, at: Address, held: bigint): void {
  put(svm, at, SYSTEM_PROGRAM, new Uint8Array(), held);
}

export function putLookupTable(svm: LiteSVM, at: Address, addresses: readonly Address[]): void {
  const data = Buffer.alloc(LOOKUP_TABLE_HEAD_BYTES + addresses.length * 32);
  data.writeUInt32LE(1, 0);
  data.writeBigUInt64LE(2n ** 64n - 1n, 4);
  for (const [position, one] of addresses.entries()) {
    data.set(encoder.encode(one), LOOKUP_TABLE_HEAD_BYTES + position * 32);
  }
  put(svm, at, LOOKUP_TABLE_PROGRAM, data);
}

export function lookupAddresses(svm: LiteSVM, at: Address): Address[] {
  const found = svm.getAccount(at);
  if (!found.exists) return [];
  const found32 = (found.data.length - LOOKUP_TABLE_HEAD_BYTES) / 32;
  return Array.from({ length: found32 }, (_unused, position) =>
    decoder.decode(found.data, LOOKUP_TABLE_HEAD_BYTES + position * 32),
  );
}

export type TokenState = { mint: Address; owner: Address; units: bigint; decimals: number; program: Address };

/** Content of a token account, or null when there is none at the address. */
export function tokenAt(svm: LiteSVM, at: Address): TokenState | null {
  const found = svm.getAccount(at);
  if (!found.exists || found.data.length < TOKEN_BYTES) return null;
  if (found.programAddress !== TOKEN_PROGRAM && found.programAddress !== TOKEN_2022_PROGRAM) return null;
  const data = Buffer.from(found.data);
  const mint = decoder.decode(data);
  const minted = svm.getAccount(mint);
  return {
    mint,
    owner: decoder.decode(data, TOKEN_OWNER_AT),
    units: data.readBigUInt64LE(TOKEN_AMOUNT_AT),
    decimals: minted.exists ? (minted.data[MINT_DECIMALS_AT] ?? 0) : 0,
    program: found.programAddress,
  };
}

export function tokensOwnedBy(
  svm: LiteSVM,
  owner: Address,
  program: Address,
): { address: Address; token: TokenState }[] {
  return svm.getProgramAccounts(program).flatMap((found) => {
    const token = tokenAt(svm, found.address);
    return token?.owner === owner ? [{ address: found.address, token }] : [];
  });
}

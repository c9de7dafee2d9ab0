import type { Address, Instruction } from '@solana/kit';
import { AccountRole, address, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';

export const SYSTEM_PROGRAM = address('11111111111111111111111111111111');
export const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
export const TOKEN_2022_PROGRAM = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const ASSOCIATED_TOKEN_PROGRAM = address('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
export const MEMO_PROGRAM = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
export const WRAPPED_SOL = address('So11111111111111111111111111111111111111112');

const TRANSFER_SOL = 2;
const CLOSE_ACCOUNT = 9;
const TRANSFER_CHECKED = 12;
const CREATE_IDEMPOTENT = 1;
const RECOVER_NESTED = 2;

const { READONLY, READONLY_SIGNER, WRITABLE, WRITABLE_SIGNER } = AccountRole;
type Account = { address: Address; role: AccountRole };
const account = (role: AccountRole) => (key: Address) => ({ address: key, role });
const readonly = account(READONLY);
const writable = account(WRITABLE);

function build(programAddress: Address, data: Uint8Array, accounts: Account[]): Instruction {
  return { programAddress, data, accounts };
}

/**
 * Associated token account of a wallet for a mint, derived by the client library: the adapter's own derivation is
 * checked against it.
 */
export async function associatedAccount(
  owner: Address,
  mint: Address,
  program: Address = TOKEN_PROGRAM,
): Promise<Address> {
  const encoder = getAddressEncoder();
  const seeds = [owner, program, mint].map((key) => encoder.encode(key));
  const [derived] = await getProgramDerivedAddress({ programAddress: ASSOCIATED_TOKEN_PROGRAM, seeds });
  return derived;
}

export type SolTransfer = { from: Address; to: Address; lamports: bigint; references?: readonly Address[] };

export function transferSol({ from, to, lamports, references = [] }: SolTransfer): Instruction {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(TRANSFER_SOL, 0);
  data.writeBigUInt64LE(lamports, 4);
  return build(SYSTEM_PROGRAM, data, [account(WRITABLE_SIGNER)(from), writable(to), ...references.map(readonly)]);
}

export type TokenTransfer = {
  source: Address;
  destination: Address;
  authority: Address;
  mint: Address;
  units: bigint;
  decimals: number;
  program?: Address;
  references?: readonly Address[];
};

export function transferToken(transfer: TokenTransfer): Instruction {
  const { source, destination, authority, mint, units, decimals, program = TOKEN_PROGRAM, references = [] } = transfer;
  const data = Buffer.alloc(10);
  data.writeUInt8(TRANSFER_CHECKED, 0);
  data.writeBigUInt64LE(units, 1);
  data.writeUInt8(decimals, 9);
  return build(program, data, [
    writable(source),
    readonly(mint),
    writable(destination),
    account(READONLY_SIGNER)(authority),
    ...references.map(readonly),
  ]);
}

export type AssociatedCreation = { payer: Address; created: Address; owner: Address; mint: Address; program?: Address };

/** Creates an associated account, or does nothing when it exists, as wallets do. */
export function createAssociated(creation: AssociatedCreation): Instruction {
  const { payer, created, owner, mint, program = TOKEN_PROGRAM } = creation;
  return build(ASSOCIATED_TOKEN_PROGRAM, Uint8Array.of(CREATE_IDEMPOTENT), [
    account(WRITABLE_SIGNER)(payer),
    writable(created),
    ...[owner, mint, SYSTEM_PROGRAM, program].map(readonly),
  ]);
}

/** Closes a token account: its lamports go to `destination` without an instruction that is called a transfer. */
export function closeToken(closed: Address, destination: Address, owner: Address): Instruction {
  return build(TOKEN_PROGRAM, Uint8Array.of(CLOSE_ACCOUNT), [
    writable(closed),
    writable(destination),
    account(READONLY_SIGNER)(owner),
  ]);
}

export type NestedRecovery = {
  nested: Address;
  mint: Address;
  destination: Address;
  /** The wallet's own associated account, which owns `nested`. */
  holder: Address;
  holderMint: Address;
  wallet: Address;
};

/**
 * Makes the associated-token program move tokens by a call of the token program: the transfer is only in inner
 * instructions.
 */
export function recoverNested(recovery: NestedRecovery): Instruction {
  return build(ASSOCIATED_TOKEN_PROGRAM, Uint8Array.of(RECOVER_NESTED), [
    writable(recovery.nested),
    readonly(recovery.mint),
    writable(recovery.destination),
    readonly(recovery.holder),
    readonly(recovery.holderMint),
    account(WRITABLE_SIGNER)(recovery.wallet),
    readonly(TOKEN_PROGRAM),
  ]);
}

export function memo(text: string): Instruction {
  return build(MEMO_PROGRAM, Buffer.from(text), []);
}

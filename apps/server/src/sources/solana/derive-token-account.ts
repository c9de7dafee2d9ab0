import { createHash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';

/** Derives a wallet's token account of a mint, which is known before the account exists. */

export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const MARKER = Buffer.from('ProgramDerivedAddress');
const MAX_BUMP = 255;

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

export function deriveTokenAccount(wallet: string, mint: string): string {
  const seeds = [wallet, TOKEN_PROGRAM, mint].map((key) => base58.decode(key));
  const program = base58.decode(ASSOCIATED_TOKEN_PROGRAM);
  for (let bump = MAX_BUMP; bump >= 0; bump -= 1) {
    const hash = createHash('sha256');
    for (const part of [...seeds, Uint8Array.of(bump), program, MARKER]) hash.update(part);
    const derived = new Uint8Array(hash.digest());
    if (!isOnCurve(derived)) return base58.encode(derived);
  }
  throw new Error(`No token account of ${wallet} can be derived.`);
}

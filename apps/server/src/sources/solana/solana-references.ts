import type { SolanaTransaction } from './solana-decode.ts';
import { TOKEN_PROGRAM } from './derive-token-account.ts';

/** References (Solana Pay): keys in a payment that identify its quote. */

const MAX_REFERENCES = 8;
const SYSTEM_PROGRAM = '11111111111111111111111111111111';
const TRANSFERRING = new Set([SYSTEM_PROGRAM, TOKEN_PROGRAM]);
const SYSVAR = /^Sysvar/;

function readOnlyPositions({ keys, raw }: SolanaTransaction): Set<number> {
  const { header, accountKeys } = raw.transaction.message;
  const loadedWritable = raw.meta.loadedAddresses?.writable.length ?? 0;
  const positions = new Set<number>();
  for (const at of keys.keys()) {
    const named = at < accountKeys.length;
    const readOnly = named
      ? at >= accountKeys.length - header.numReadonlyUnsignedAccounts
      : at >= accountKeys.length + loadedWritable;
    if (readOnly && at >= header.numRequiredSignatures) positions.add(at);
  }
  return positions;
}

/**
 * Read-only keys that did not sign and are no program, mint, owner or token account. Keys of a transfer come first:
 * wallets put references there, and a long transaction must not crowd them out.
 */
export function referencesOf(transaction: SolanaTransaction): string[] {
  const { keys, raw } = transaction;
  const { message } = raw.transaction;
  const inner = (raw.meta.innerInstructions ?? []).flatMap(({ instructions }) => instructions);
  const readOnly = readOnlyPositions(transaction);
  const programs = new Set([...message.instructions, ...inner].map(({ programIdIndex }) => programIdIndex));
  const balances = [...raw.meta.preTokenBalances, ...raw.meta.postTokenBalances];
  const known = new Set(balances.flatMap(({ mint, owner }) => [mint, owner ?? '']));
  const named = message.instructions
    .filter(({ programIdIndex }) => TRANSFERRING.has(keys[programIdIndex] ?? ''))
    .flatMap(({ accounts }) => accounts);
  const found = new Set<string>();
  for (const at of [...named, ...readOnly]) {
    const key = keys[at] ?? '';
    const excluded = programs.has(at) || TRANSFERRING.has(key) || known.has(key) || SYSVAR.test(key);
    if (readOnly.has(at) && !excluded) found.add(key);
    if (found.size === MAX_REFERENCES) break;
  }
  return [...found];
}

import type { Mutant } from '../mutant.ts';
import { lines } from '../mutant.ts';

/** Bugs in the adapters of providers. */
export const SOURCES_MUTANTS: readonly Mutant[] = [
  {
    name: 'identity-by-tx',
    edits: [
      {
        file: 'src/sources/json-rpc/evm-decode.ts',
        find: '  const ordinals = new Map<string, number>();\n',
        replace: '',
      },
      {
        file: 'src/sources/json-rpc/evm-decode.ts',
        find: 'for (const log of logs) {',
        replace: lines('for (const log of logs) {', '    const ordinals = new Map<string, number>();'),
      },
    ],
    suite: 'src/sources/json-rpc/evm-decode.test.ts',
    title: 'transfers are numbered per token and transaction, in the order of the chain',
  },
  {
    name: 'second-read-same-provider',
    edits: [
      {
        file: 'src/sources/ask-providers.ts',
        find: "const start = pass === 'second' ? Math.max(0, other) : 0;",
        replace: "const start = pass === 'second' ? Math.min(0, other + 1) : 0;",
      },
    ],
    suite: 'test/engine/reorged.test.ts',
    title: 'one provider on a fork rewinds nothing and moves nothing, whether it is asked first or second',
  },
  {
    name: 'tier-inclusive',
    edits: [
      {
        file: 'src/networks/finality.ts',
        find: '= null || amountUnits < BigInt(belowUsd) * usdUnits',
        replace: '= null || amountUnits <= BigInt(belowUsd) * usdUnits',
      },
    ],
    suite: 'src/networks/finality.test.ts',
    title: 'on ETH an amount of 100000000000n units is settled at conf:64',
  },
  {
    name: 'receipt-of-other-block',
    edits: [
      {
        file: 'src/sources/evm/confirm-coins.ts',
        find: lines(
          'if (receipt.blockHash !== blockHash)',
          "    throw new SourceError('inconsistent', `The receipt of ${txId} is of another block.`);",
          "  return receipt.status === '0x1';",
        ),
        replace: "return receipt.blockHash === blockHash && receipt.status === '0x1';",
      },
    ],
    suite: 'test/sources/evm-receipts.test.ts',
    title: 'whose receipt is of another block are not believed, and have not failed',
  },
  {
    name: 'missing-receipt-fails-coins',
    edits: [
      {
        file: 'src/sources/evm/confirm-coins.ts',
        find: "throw new SourceError('not-yet', `The provider has no receipt of ${txId}.`)",
        replace: 'return false',
      },
    ],
    suite: 'test/sources/evm-receipts.test.ts',
    title: 'whose receipt is missing are not there yet, and have not failed',
  },
  {
    name: 'version-zero',
    edits: [
      {
        file: 'src/sources/solana/read-transactions.ts',
        find: 'return maxTransactionVersion;',
        replace: 'return maxTransactionVersion - 1;',
      },
    ],
    suite: 'test/engine/account-unreadable.test.ts',
    title: 'a payment of the version that is live is a payment like any other',
  },
  {
    name: 'unreadable-hides-others',
    edits: [
      {
        file: 'src/sources/solana/read-transactions.ts',
        find: "import { CODES, MAX_CALLS_PER_REQUEST, parseAnswer, refusalOf } from './solana-rpc.ts';",
        replace: "import { MAX_CALLS_PER_REQUEST, parseAnswer, refusalOf } from './solana-rpc.ts';",
      },
      {
        file: 'src/sources/solana/read-transactions.ts',
        find: "  if (answer.error?.code === CODES.unsupportedVersion) return unreadable(txId, 'version', answer.error.message);\n",
        replace: '',
      },
    ],
    suite: 'test/engine/account-unreadable.test.ts',
    title: 'a stranger’s transaction of a version that we do not know keeps no payment from being settled',
  },
  {
    name: 'slots-by-constant',
    edits: [
      {
        file: 'src/sources/solana/solana-time.ts',
        find: 'if (found.time < time) below = found;',
        replace: 'if (found.time < time || step > 0) below = found;',
      },
    ],
    suite: 'src/sources/solana/solana-time.test.ts',
    title: 'a block older than a time is found whatever a slot lasts: 0.4 s',
  },
  {
    name: 'too-much-is-silence',
    edits: [
      {
        file: 'src/sources/json-rpc/classify-refusal.ts',
        find: "if (blocks <= 1) return { kind: 'unavailable' };",
        replace: "if (blocks <= 100_000) return { kind: 'unavailable' };",
      },
    ],
    suite: 'src/sources/json-rpc/refusals.test.ts',
    title: 'a refusal is classified: geth family: logs fill the answer',
  },
  {
    name: 'safe-always-asked',
    edits: [
      {
        file: 'src/sources/json-rpc/read-heads.ts',
        find: "'finalized'), ...(tags.safe ? [getBlock('safe'",
        replace: "'finalized'), ...(tags ? [getBlock('safe'",
      },
    ],
    suite: 'test/sources/evm-heads.test.ts',
    title: 'is asked for only where a tier needs it',
  },
  {
    name: 'silence-believed',
    edits: [
      {
        file: 'src/sources/json-rpc/prove-tail.ts',
        find: 'if (profile.busyTokens.length > 0 && isQuiet(request, read, profile))',
        replace: 'if (profile.busyTokens.length > 99 && isQuiet(request, read, profile))',
      },
    ],
    suite: 'test/sources/evm-tail.test.ts',
    title: 'another token’s transfer is no sign of life',
  },
  {
    name: 'unexecuted-believed',
    edits: [
      {
        file: 'src/sources/json-rpc/prove-tail.ts',
        find: '(profile.unexecutedSeconds > 0) await requireExecuted',
        replace: '(profile.unexecutedSeconds > 99) await requireExecuted',
      },
    ],
    suite: 'test/sources/evm-tail.test.ts',
    title: 'an answer counts when the last block of the range is executed',
  },
  {
    name: 'null-id-unheard',
    edits: [
      {
        file: 'src/sources/json-rpc/json-rpc.ts',
        find: "? parsed.data.find(({ id, error }) => error && typeof id !== 'number')?.error",
        replace: '? parsed.data.find(({ id, error }) => error && id === undefined)?.error',
      },
    ],
    suite: 'test/sources/evm-batches.test.ts',
    title: 'bor answers a batch of too many calls with one object and no id',
  },
  {
    name: 'bloom-of-others',
    edits: [
      {
        file: 'src/sources/evm/read-blocks.ts',
        find: 'if (!profileOf(network).bloomReliable) return () => false;',
        replace: 'if (profileOf(network).blockSeconds <= 0) return () => false;',
      },
    ],
    suite: 'test/sources/evm-blocks.test.ts',
    title: 'is never saved where a bloom does not describe its own block: AVAX',
  },
  {
    name: 'receipts-incomplete',
    edits: [
      {
        file: 'src/sources/json-rpc/block-receipts.ts',
        find: lines(
          'const told = new Set(parsed.data.map((receipt) => receipt.transactionHash));',
          '  const each = parsed.data.length === listed.size && told.size === listed.size;',
          '  if (!each || parsed.data.some(({ transactionHash }) => !listed.has(transactionHash)))',
        ),
        replace: 'if (parsed.data.some(({ transactionHash }) => !listed.has(transactionHash)))',
      },
    ],
    suite: 'test/sources/evm-blocks.test.ts',
    title: 'receipts of a block that has other transactions: inconsistent',
  },
  {
    name: 'lister-for-finder',
    edits: [
      {
        file: 'src/sources/solana/read-account.ts',
        find: 'Object.assign({}, transfer, { shownBy: other }));',
        replace: 'Object.assign({}, transfer));',
      },
    ],
    suite: 'test/engine/account-one-word.test.ts',
    title: 'what one provider lists and another shows counts as read by the one that showed it',
  },
];

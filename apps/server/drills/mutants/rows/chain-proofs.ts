import type { Mutant } from '../mutant.ts';
import { lines } from '../mutant.ts';

/** Bugs in proving the transfers of chains. */
export const CHAIN_PROOFS_MUTANTS: readonly Mutant[] = [
  {
    name: 'proof-by-finder',
    edits: [
      {
        file: 'src/chains/prove-transfers.ts',
        find: "if (source.providers.length < 2) return ask('first', rows);",
        replace: "if (source.providers.length < 3) return ask('first', rows);",
      },
    ],
    suite: 'test/engine/evidence.test.ts',
    title: 'of two providers it is the other one whose receipt counts, at the depth that both call settled',
  },
  {
    name: 'proof-ignores-depth',
    edits: [
      {
        file: 'src/chains/prove-transfers.ts',
        find: 'const deep = due.filter(({ tier, height }) => height <= (settled.get(tier) ?? 0));',
        replace: 'const deep = due.filter(({ tier }) => settled.has(tier));',
      },
    ],
    suite: 'test/engine/evidence.test.ts',
    title: 'of two providers it is the other one whose receipt counts, at the depth that both call settled',
  },
  {
    name: 'proof-against-header',
    edits: [
      {
        file: 'src/chains/proof-sql.ts',
        find: '      and not exists (select from chain_blocks b where b.network = t.network and b.height = t.height and b.hash <> t.block_hash)\n',
        replace: '',
      },
    ],
    suite: 'test/engine/mutant-evidence.test.ts',
    title: 'a receipt proves nothing in another block than the header that we hold at its height',
  },
  {
    name: 'proof-in-other-block',
    edits: [
      {
        file: 'src/chains/judge-transfer.ts',
        find: 'const stands = receipt.succeeded && receipt.blockHash === transfer.blockHash;',
        replace: "const stands = receipt.succeeded && receipt.blockHash !== '';",
      },
    ],
    suite: 'src/chains/judge-transfer.test.ts',
    title: 'a transfer whose receipt is of another block',
  },
  {
    name: 'missing-receipt-denies',
    edits: [
      {
        file: 'src/chains/judge-transfer.ts',
        find: "if (!receipt) return 'unknown';",
        replace: "if (!receipt) return 'contradicted';",
      },
    ],
    suite: 'test/engine/evidence.test.ts',
    title:
      'is decided by nothing while its receipt is missing: coverage waits, an alarm is raised, other payments complete',
  },
  {
    name: 'denied-by-one',
    edits: [
      {
        file: 'src/chains/settle-differences.ts',
        find: 'for (const provider of follower.source.providers) {',
        replace: 'for (const provider of follower.source.providers.slice(0, 1)) {',
      },
    ],
    suite: 'test/engine/mutant-evidence.test.ts',
    title: 'a payment that one provider denies and another proves stays, and its network goes on',
  },
  {
    name: 'denied-at-once',
    edits: [
      {
        file: 'src/chains/settle-differences.ts',
        find: 'return since !== undefined && clock.nowMs() - since >= DOUBT_MS;',
        replace: 'return since === undefined || clock.nowMs() >= since;',
      },
    ],
    suite: 'test/engine/evidence.test.ts',
    title: 'goes when its receipt denies it for a minute, and its invoice waits again',
  },
  {
    name: 'standby-is-witness',
    edits: [
      {
        file: 'src/chains/witness.ts',
        find: 'const second = await source.heads({ not: first.by }).catch((cause: unknown) => {',
        replace: "const second = await source.heads('second').catch((cause: unknown) => {",
      },
    ],
    suite: 'test/engine/rescan.test.ts',
    title: 'no other provider answers for the second: it is waited for, or the operator trusts the first, audited',
  },
  {
    name: 'finder-confirms-itself',
    edits: [
      {
        file: 'src/chains/confirm-transfers.ts',
        find: 'first: { ...(await judge([...first.keys()], names.confirmedBy)), ...names },',
        replace: 'first: { ...(await judge([...first.keys()], names.shownBy)), ...names },',
      },
    ],
    suite: 'test/engine/rescan.test.ts',
    title:
      'a transfer that the first shows, receipt and all, and the other has no receipt of is reported, and not recorded',
  },
  {
    name: 'doubt-outlived',
    edits: [
      {
        file: 'src/chains/settle-differences.ts',
        find: 'forgetAgreed(memory, second.coverage.tier, txIds);',
        replace: 'if (txIds.length > 99_999) forgetAgreed(memory, second.coverage.tier, txIds);',
      },
    ],
    suite: 'test/engine/evidence.test.ts',
    title: 'is doubted from the moment that it is denied: a doubt that it outlived does not count',
  },
  {
    name: 'dispute-decided-by-finder',
    edits: [
      {
        file: 'src/chains/settle-differences.ts',
        find: 'shown, (one) => (isAlone ? null : finderOf(one))',
        replace: 'shown, (one) => (isAlone || finderOf(one) ? null : finderOf(one))',
      },
    ],
    suite: 'test/engine/one-word.test.ts',
    title: 'that only the second provider shows never completes an invoice',
  },
  {
    name: 'doubted-below-coverage',
    edits: [
      {
        file: 'src/chains/settle-differences.ts',
        find: 'if ((await readCoverage(tx, network)).some(({ height }) => height >= lowest)) return;',
        replace: 'if ((await readCoverage(tx, network)).some(({ height }) => height < 0 && height >= lowest)) return;',
      },
    ],
    suite: 'test/engine/one-word.test.ts',
    title:
      'a payment that only the second read shows below the coverage of another tier is not recorded: it would settle at once',
  },
  {
    name: 'shown-but-dropped',
    edits: [
      {
        file: 'src/chains/settle-differences.ts',
        find: lines(
          'for (const transfer of dropped)',
          '    if (!(await isDeniedByAll(follower, transfer))) await doubt(follower, tier, transfer.txId);',
        ),
        replace: 'for (const transfer of dropped) await isDeniedByAll(follower, transfer);',
      },
    ],
    suite: 'test/engine/one-word.test.ts',
    title: 'that the first provider denies is not passed over while the second shows it',
  },
  {
    name: 'coins-by-receipt-alone',
    edits: [
      {
        file: 'src/chains/read-proofs.ts',
        find: lines(
          'if (shows === null) return null;',
          '    return receipt && shows === false ? { ...receipt, succeeded: false } : receipt;',
        ),
        replace: 'return receipt && shows === undefined ? receipt : receipt;',
      },
    ],
    suite: 'test/engine/one-word.test.ts',
    title: 'of coins, shown by the first in a transaction that is there, pays nothing either',
  },
  {
    name: 'listed-by-one',
    edits: [
      {
        file: 'src/chains/settle-differences.ts',
        find: 'if (source.providers.length < 2) return;',
        replace: 'if (source.providers.length < 9) return;',
      },
    ],
    suite: 'test/engine/one-liar.test.ts',
    title: 'settle nothing by the answer of the provider that decided a difference',
  },
  {
    name: 'unasked-believed',
    edits: [
      {
        file: 'src/chains/prove-transfers.ts',
        find: 'const unasked = source.providers.length < 2 ? [] : compareReads(rows, listed).onlySecond;',
        replace: 'const unasked = source.providers.length < 9 ? [] : compareReads(rows, listed).onlySecond;',
      },
    ],
    suite: 'test/engine/one-liar.test.ts',
    title: 'settle nothing by the answer of the provider that proved a payment',
  },
  {
    name: 'proof-of-undone-block',
    edits: [
      {
        file: 'src/chains/prove-transfers.ts',
        find: 'if (!chain || chain.frozen || chain.rewinds !== rewinds) return 0;',
        replace: 'if (!chain || chain.frozen || chain.rewinds < rewinds) return 0;',
      },
    ],
    suite: 'test/engine/one-liar.test.ts',
    title: 'a receipt that was asked for before its block was undone brings nothing back',
  },
  {
    name: 'silence-remembered',
    edits: [
      {
        file: 'src/chains/ask-others.ts',
        find: 'const sinceMs = known && nowMs - known.triedMs <= MAX_UNASKED_MS ? known.sinceMs : nowMs;',
        replace: 'const sinceMs = known && known.triedMs <= nowMs + MAX_UNASKED_MS ? known.sinceMs : nowMs;',
      },
    ],
    suite: 'test/engine/silence.test.ts',
    title:
      'other providers that failed long ago and fail once more are still waited for: they were not asked in between',
  },
];

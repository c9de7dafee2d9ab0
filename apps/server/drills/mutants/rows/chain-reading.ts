import type { Mutant } from '../mutant.ts';

/** Bugs in reading chains: heads, ranges, clocks, rewinds and rescans. */
export const CHAIN_READING_MUTANTS: readonly Mutant[] = [
  {
    name: 'header-not-linked',
    edits: [
      {
        file: 'src/chains/advance-head.ts',
        find: "'all' ? isLinked(cursor, read.blocks) : first?.parentHash === cursor.hash",
        replace: "'ends' || isLinked({ hash: first?.parentHash ?? '' }, read.blocks)",
      },
    ],
    suite: 'test/engine/mutant-reading.test.ts',
    title: 'blocks that do not follow from the cursor move nothing: above what is final',
  },
  {
    name: 'stale-watch-set',
    edits: [
      {
        file: 'src/chains/advance-head.ts',
        find: "import { hasNativeQuotes, readWatchVersion } from './watch-sql.ts';",
        replace: "import { hasNativeQuotes } from './watch-sql.ts';",
      },
      {
        file: 'src/chains/advance-head.ts',
        find: "if ((await readWatchVersion(tx, network)) !== range.watch.version) return 'watch-changed';",
        replace: "if (!range.watch) return 'watch-changed';",
      },
      {
        file: 'src/chains/cover-tier.ts',
        find: "import { hasNativeQuotes, readWatchVersion } from './watch-sql.ts';",
        replace: "import { hasNativeQuotes } from './watch-sql.ts';",
      },
      {
        file: 'src/chains/cover-tier.ts',
        find: "if ((await readWatchVersion(tx, network)) !== watch.version) return 'watch-changed';",
        replace: "if (!watch) return 'watch-changed';",
      },
    ],
    suite: 'test/engine/mutant-reading.test.ts',
    title: 'a payment to an address that is newer than the set a range was read with is found by the first read',
  },
  {
    name: 'rescan-without-lock',
    edits: [
      {
        file: 'src/chains/rescan-chain.ts',
        find: "import { lockChain, readChain } from './chain-sql.ts';",
        replace: "import { readChain } from './chain-sql.ts';",
      },
      {
        file: 'src/chains/rescan-chain.ts',
        find: 'const chain = await lockChain(tx, network);',
        replace: 'const chain = await readChain(follower.database.queries, network);',
      },
    ],
    suite: 'test/engine/mutant-races.test.ts',
    title: 'a rescan waits for a rewind that is being committed, and records nothing that was read before it',
  },
  {
    name: 'coverage-not-lowered',
    edits: [
      { file: 'src/chains/rewind-chain.ts', find: '  lowerCoverage,\n', replace: '' },
      { file: 'src/chains/rewind-chain.ts', find: '    await lowerCoverage(tx, network, ancestor);\n', replace: '' },
    ],
    suite: 'test/engine/grace.test.ts',
    title: 'a grace payment that a reorg takes away sends the invoice back behind its gate, not past it',
  },
  {
    name: 'ends-not-linked',
    edits: [
      {
        file: 'src/chains/advance-head.ts',
        find: 'read.blocks) : first?.parentHash === cursor.hash;',
        replace: 'read.blocks) : true;',
      },
    ],
    suite: 'test/engine/mutant-reading.test.ts',
    title:
      'blocks that do not follow from the cursor move nothing: far below what is final, where only the ends are read',
  },
  {
    name: 'conf-off-by-one',
    edits: [
      {
        file: 'src/chains/follower.ts',
        find: 'return heads.latest.height - (rule.count - 1);',
        replace: 'return heads.latest.height - (rule.count - 2);',
      },
    ],
    suite: 'src/chains/follower.test.ts',
    title: 'the height that a tier calls settled: a payment in the head block has one confirmation',
  },
  {
    name: 'rescan-decides-changed',
    edits: [
      {
        file: 'src/chains/rescan-chain.ts',
        find: 'await follower.apply(tx, network, ids, orphaned);',
        replace: 'await follower.apply(tx, network, changed, orphaned);',
      },
    ],
    suite: 'test/engine/rescan.test.ts',
    title: 'every transfer that is seen is decided again, also one that is known and was never decided',
  },
  {
    name: 'fork-believed',
    edits: [
      {
        file: 'src/chains/rescan-chain.ts',
        find: 'if (block?.hash !== header.hash) throw new Refusal',
        replace: 'if (!block) throw new Refusal',
      },
    ],
    suite: 'test/engine/rescan.test.ts',
    title:
      'one on another fork, with the same chain id, block 0 and contracts, is detected, and nothing it shows is recorded',
  },
  {
    name: 'pieces-left-above',
    edits: [
      {
        file: 'src/chains/advance-head.ts',
        find: 'if (!(await hasTransfersAbove(database.queries, network, cursor.height))) return true;',
        replace: 'if (!(await hasTransfersAbove(database.queries, network, cursor.height * 2))) return true;',
      },
    ],
    suite: 'test/engine/mutant-evidence.test.ts',
    title:
      'a transfer that a reader recorded within a range before it died is taken back when the blocks were replaced meanwhile',
  },
  {
    name: 'range-grows-idle',
    edits: [
      {
        file: 'src/chains/block-range.ts',
        find: 'return blocks < range ? range : Math.min(maxRange, Math.ceil(range * GROWTH));',
        replace: 'return blocks > range ? range : Math.min(maxRange, Math.ceil(range * GROWTH));',
      },
    ],
    suite: 'src/chains/block-range.test.ts',
    title: 'a range does not grow when less of it was there to read',
  },
  {
    name: 'tiers-starve',
    edits: [
      {
        file: 'src/chains/follow-chain.ts',
        find: '(height !== undefined) await attempt(one.tier',
        replace: '(height !== undefined && follower.memory.refusals.size === 0) await attempt(one.tier',
      },
    ],
    suite: 'test/engine/mutant-evidence.test.ts',
    title: 'a tier that is refused keeps no other one from being covered',
  },
  {
    name: 'future-ignored',
    edits: [
      {
        file: 'src/chains/judge-clock.ts',
        find: 'const early = off.filter((one) => one.aheadSeconds < 0 && isChain(one));',
        replace: 'const early = off.filter((one) => one.aheadSeconds < -most * most && isChain(one));',
      },
    ],
    suite: 'src/chains/judge-clock.test.ts',
    title: 'the clock is wrong: a head from the future',
  },
  {
    name: 'one-halt-blames-clock',
    edits: [{ file: 'src/chains/judge-clock.ts', find: 'const LEAST_ALIKE = 3;', replace: 'const LEAST_ALIKE = 1;' }],
    suite: 'src/chains/judge-clock.test.ts',
    title: 'the clock may be right: one network that halted',
  },
  {
    name: 'silence-outlasted',
    edits: [
      { file: 'src/chains/follow-chain.ts', find: "import { forgetSilences } from './ask-others.ts';\n", replace: '' },
      { file: 'src/chains/follow-chain.ts', find: '  forgetSilences(memory);\n', replace: '' },
    ],
    suite: 'test/engine/evidence.test.ts',
    title: 'a silence that another worker outlasted does not count for ours: the minute starts again with the lease',
  },
];

import type { Mutant } from '../mutant.ts';
import { lines } from '../mutant.ts';

/** Bugs in the coverage of finality tiers and in stored transfers. */
export const CHAIN_TIERS_MUTANTS: readonly Mutant[] = [
  {
    name: 'revert-at-ancestor',
    edits: [
      {
        file: 'src/transfers/transfer-sql.ts',
        find: lines(
          '.set({ canonical: false, settled_tier: null, settled_hash: null, accepted_by: null })',
          "    .where('network', '=', network)",
          "    .where('height', '>', BigInt(height))",
        ),
        replace: lines(
          '.set({ canonical: false, settled_tier: null, settled_hash: null, accepted_by: null })',
          "    .where('network', '=', network)",
          "    .where('height', '>=', BigInt(height))",
        ),
      },
    ],
    suite: 'test/engine/mutant-races.test.ts',
    title: 'a payment in the very block that both forks have in common stays',
  },
  {
    name: 'reincluded-keeps-time',
    edits: [
      {
        file: 'src/transfers/transfer-sql.ts',
        find: 'block_time = excluded.block_time, canonical = true, from_address = excluded.from_address,',
        replace: 'canonical = true, from_address = excluded.from_address,',
      },
    ],
    suite: 'test/engine/mutant-races.test.ts',
    title: 'a payment that a reorg puts into a block after the end is judged by that block',
  },
  {
    name: 'native-since-now',
    edits: [
      { file: 'src/chains/cover-tier.ts', find: "import { dateFromUnix } from '../lib/clock.ts';\n", replace: '' },
      {
        file: 'src/chains/cover-tier.ts',
        find: lines(
          "// Whole blocks are read if the amount of a coin quote was open or quarantined after the coverage's time. The cursor's",
          '  // time would be too late: an amount whose quarantine ended in between may have been paid before.',
          '  const since = dateFromUnix(coverage.time);',
          '  const native = coin !== undefined && (coinsStored || (await hasNativeQuotes(database.queries, network, coin, since)));',
        ),
        replace:
          'const native = coin !== undefined && (coinsStored || (await hasNativeQuotes(database.queries, network, coin)));',
      },
    ],
    suite: 'test/sources/tron-traps.test.ts',
    title:
      'coins paid while their amount was still in quarantine are found, though the cursor is past its end by the second read',
  },
  {
    name: 'coverage-without-cas',
    edits: [
      {
        file: 'src/chains/chain-sql.ts',
        find: ".where('height', '=', BigInt(from))",
        replace: ".where('height', '>=', BigInt(Math.min(from, 0)))",
      },
    ],
    suite: 'test/interleavings/chains.test.ts',
    title: 'a second worker at tier:before-commit loses no payment, counts none twice and covers nothing unread',
  },
  {
    name: 'absence-without-age',
    edits: [
      {
        file: 'src/chains/read-end-sql.ts',
        find: 'read_at <= clock_timestamp() - make_interval(secs =>',
        replace: 'read_at <= clock_timestamp() + make_interval(secs =>',
      },
    ],
    suite: 'test/engine/evidence.test.ts',
    title: 'a range is covered only when its first read is old enough, and an invoice waits that long',
  },
  {
    name: 'same-question-twice',
    edits: [
      {
        file: 'src/chains/cover-tier.ts',
        find: "read: await source.readBlocks({ ...question, headers: 'ends', pass }),",
        replace: "read: await source.read({ ...question, headers: 'ends', pass }),",
      },
    ],
    suite: 'test/engine/evidence.test.ts',
    title: 'a log that ranges lack for ever is found block by block',
  },
  {
    name: 'several-readers-are-one',
    edits: [
      {
        file: 'src/chains/cover-tier.ts',
        find: 'runEnd = aged.readBy.length > 1 ? await readRunEnd',
        replace: 'runEnd = aged.readBy.length > 9 ? await readRunEnd',
      },
    ],
    suite: 'test/engine/one-liar.test.ts',
    title: 'does not confirm by its blocks what only its own logs have shown',
  },
  {
    name: 'shallower-when-larger',
    edits: [
      {
        file: 'src/chains/settled-heights.ts',
        find: "import { neverShallower, parseTier } from '../networks/finality.ts';",
        replace: "import { parseTier } from '../networks/finality.ts';",
      },
      {
        file: 'src/chains/settled-heights.ts',
        find: 'const { source, memory } = follower;',
        replace: 'const { memory } = follower;',
      },
      {
        file: 'src/chains/settled-heights.ts',
        find: 'return neverShallower(source.network.policy, settled);',
        replace: 'return settled;',
      },
    ],
    suite: 'test/engine/evidence.test.ts',
    title: 'a larger sum never settles shallower than a smaller one, whatever a tag says',
  },
  {
    name: 'phantom-number',
    edits: [
      {
        file: 'src/transfers/transfer-sql.ts',
        find: 'const renumberings = alignTransfers(stored, transfers);',
        replace: 'const renumberings = alignTransfers(stored, transfers).slice(0, 0);',
      },
    ],
    suite: 'test/engine/evidence.test.ts',
    title: 'before ours in a transaction on BSC: one row, its number corrected, and no tier stops',
  },
  {
    name: 'renumbered-in-one-step',
    edits: [
      {
        file: 'src/transfers/transfer-sql.ts',
        find: lines(
          '  const ids = renumberings.map(({ id }) => id);',
          "  await sql`update transfers set index = index || '~' || id where id = any(${ids}::bigint[])`.execute(tx);",
          '',
        ),
        replace: '',
      },
    ],
    suite: 'test/engine/reading.test.ts',
    title: 'transfers that were numbered without the one before them get their own numbers (0)',
  },
  {
    name: 'orphan-untold',
    edits: [
      {
        file: 'src/transfers/transfer-sql.ts',
        find: 'return { changed: [...changed.keys()], orphaned: [...new Set(orphaned)] };',
        replace: 'return { changed: [...changed.keys()], orphaned: orphaned.slice(0, 0) };',
      },
    ],
    suite: 'test/engine/mutant-evidence.test.ts',
    title: 'an invoice whose attached transfer came back as another waits again',
  },
  {
    name: 'own-word-confirms',
    edits: [
      {
        file: 'src/chains/cover-tier.ts',
        find: 'row.proven && row.readBy === by && row.readHow === how;',
        replace: 'row.proven && row.readBy === by && row.readHow !== how && row.id < 0n;',
      },
    ],
    suite: 'test/engine/stuck.test.ts',
    title:
      'is kept after a minute, pays nothing and is not covered by being shown again, until a person vouches for it',
  },
  {
    name: 'ends-of-deeper-tiers',
    edits: [
      {
        file: 'src/chains/read-end-sql.ts',
        find: "select min(height) from chain_coverage where network = ${network} and scope = '')`.execute(tx);",
        replace: "select max(height) from chain_coverage where network = ${network} and scope = '')`.execute(tx);",
      },
    ],
    suite: 'test/engine/mutant-evidence.test.ts',
    title: 'the end of a first read is kept until every tier has covered it, not only the shallowest',
  },
  {
    name: 'new-tier-at-cursor',
    edits: [
      {
        file: 'src/chains/chain-sql.ts',
        find: 'select c.network, t.tier, coalesce(l.height, c.height), coalesce(l.block_time, c.block_time)',
        replace: 'select c.network, t.tier, c.height, c.block_time',
      },
    ],
    suite: 'test/engine/mutant-evidence.test.ts',
    title:
      'a tier that a policy gains is covered from where all others are: what was quoted by it meanwhile is not settled',
  },
  {
    name: 'covered-by-one-depth',
    edits: [
      {
        file: 'src/chains/agree-on-depth.ts',
        find: 'return Math.min(height, settled.get(tier) ?? height);',
        replace: 'return Math.max(height, settled.get(tier) ?? height);',
      },
    ],
    suite: 'test/engine/evidence.test.ts',
    title: 'of two providers none alone says what is settled: neither is a payment covered, nor the lack of one',
  },
];

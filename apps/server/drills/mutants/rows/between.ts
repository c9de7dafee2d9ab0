import type { Mutant } from '../mutant.ts';
import { lines } from '../mutant.ts';

/** Bugs between a read and its commit, when a rewind, another worker or a freeze intervenes. */
export const BETWEEN_MUTANTS: readonly Mutant[] = [
  {
    name: 'ends-not-cut',
    edits: [
      {
        file: 'src/chains/rewind-chain.ts',
        find: 'await cutReadEnds(tx, network, ancestor);',
        replace: 'if (ancestor.height < 0) await cutReadEnds(tx, network, ancestor);',
      },
    ],
    suite: 'test/interleavings/chains.test.ts',
    title: 'a freeze at rewind:before-commit loses no payment, counts none twice and covers nothing unread',
  },
  {
    name: 'read-age-kept',
    edits: [
      {
        file: 'src/chains/read-end-sql.ts',
        find: 'set hash = excluded.hash, read_at = excluded.read_at, read_by = excluded.read_by',
        replace: 'set hash = excluded.hash, read_by = excluded.read_by',
      },
    ],
    suite: 'src/chains/chain-sql.test.ts',
    title: 'a read that ends where an earlier one did is as old as itself, not as the earlier one',
  },
  {
    name: 'tier-watch-ignored',
    edits: [
      {
        file: 'src/chains/cover-tier.ts',
        find: "if ((await readWatchVersion(tx, network)) !== watch.version) return 'watch-changed';",
        replace: "if ((await readWatchVersion(tx, network)) < watch.version) return 'watch-changed';",
      },
    ],
    suite: 'test/engine/mutant-takeovers.test.ts',
    title: 'a worker that takes over with an old watch set covers no payment to a wallet that was added meanwhile',
  },
  {
    name: 'covers-after-rewind',
    edits: [
      {
        file: 'src/chains/cover-tier.ts',
        find: "if (!chain || chain.frozen || chain.rewinds !== cursor.rewinds) return 'moved';",
        replace: "if (!chain || chain.frozen || chain.rewinds < cursor.rewinds) return 'moved';",
      },
    ],
    suite: 'test/interleavings/chains.test.ts',
    title:
      'a rewind at tier:before-commit of quiet blocks loses no payment, counts none twice and covers nothing unread',
  },
  {
    name: 'piece-after-rewind',
    edits: [
      {
        file: 'src/chains/cover-tier.ts',
        find: lines(
          'if (!chain || chain.frozen || chain.rewinds !== second.cursor.rewinds) return false;',
          '    await work(tx);',
        ),
        replace: lines(
          'if (!chain || chain.frozen || chain.rewinds < second.cursor.rewinds) return false;',
          '    await work(tx);',
        ),
      },
    ],
    suite: 'test/interleavings/chains.test.ts',
    title: 'a rewind at tier:before-commit loses no payment, counts none twice and covers nothing unread',
  },
  {
    name: 'proof-above-cursor',
    edits: [
      {
        file: 'src/chains/prove-transfers.ts',
        find: 'const upTo = Math.min(settled.get(tier) ?? 0, chain.height);',
        replace: 'const upTo = Math.min(settled.get(tier) ?? 0, Math.max(chain.height, settled.get(tier) ?? 0));',
      },
    ],
    suite: 'test/interleavings/chains.test.ts',
    title: 'a prover that is refused logs at head:piece loses no payment, counts none twice and covers nothing unread',
  },
  {
    name: 'pieces-unlocked',
    edits: [
      {
        file: 'src/chains/advance-head.ts',
        find: lines(
          'if (!(await lockCursor(tx, network, cursor.height, cursor.hash))) return false;',
          '      await record(',
        ),
        replace: lines("if (network === '' && cursor.height < 0) return false;", '      await record('),
      },
    ],
    suite: 'test/interleavings/chains.test.ts',
    title: 'a rewind at head:before-commit loses no payment, counts none twice and covers nothing unread',
  },
  {
    name: 'mark-of-any-tier',
    edits: [
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: 'or (t.settled_hash = t.block_hash and t.settled_tier = ${SETTLING_TIER})))',
        replace: 'or (t.settled_hash = t.block_hash and t.settled_tier is not null)))',
      },
    ],
    suite: 'test/engine/mutant-takeovers.test.ts',
    title: 'money that settled for a small invoice is not thereby deep enough for a large one',
  },
  {
    name: 'accounts-expire-while-frozen',
    edits: [
      {
        file: 'src/invoices/expiry-sql.ts',
        find: 'from quotes q join chains h on h.network = q.network and (h.frozen_at is null or h.retired_at is not null)',
        replace: 'from quotes q join chains h on h.network = q.network',
      },
    ],
    suite: 'test/engine/account-guards.test.ts',
    title: 'leaves an invoice at an account whose network freezes after the invoice was locked',
  },
  {
    name: 'proven-stays',
    edits: [
      {
        file: 'src/transfers/transfer-sql.ts',
        find: 'read_how = excluded.read_how, proven_by = null, proven_how = null, proven_at = null, named_by = null,',
        replace: 'read_how = excluded.read_how, named_by = null,',
      },
    ],
    suite: 'test/money/guards.test.ts',
    title: 'a transfer that moved to another block is not proven by what proved it before',
  },
  {
    name: 'set-not-multiset',
    edits: [
      {
        file: 'src/chains/compare-reads.ts',
        find: 'left.set(content, count - 1);',
        replace: 'left.set(content, count);',
      },
    ],
    suite: 'src/chains/compare-reads.test.ts',
    title: 'differ where the first shows one more of the same content',
  },
  {
    name: 'silence-never-ends',
    edits: [
      {
        file: 'src/chains/ask-others.ts',
        find: 'endSilence(follower.memory, readBy);',
        replace: '',
      },
    ],
    suite: 'test/money/guards.test.ts',
    title: 'an answer in between ends the silence of other providers',
  },
  {
    name: 'depth-of-old-fork',
    edits: [
      {
        file: 'src/chains/agree-on-depth.ts',
        find: 'const isKnown = known?.by === heads.by && known.rewinds === rewinds;',
        replace: 'const isKnown = known?.by === heads.by && known.rewinds <= rewinds;',
      },
    ],
    suite: 'test/engine/mutant-takeovers.test.ts',
    title: 'a depth on which providers agreed before a rewind is agreed on again after it',
  },
  {
    name: 'named-above-coverage',
    edits: [
      {
        file: 'src/invoices/read-named-transactions.ts',
        find: "if (((await readLowestCoverage(tx, network)) ?? 0) < block.height) return 'later';",
        replace: "if (((await readLowestCoverage(tx, network)) ?? 0) < Math.min(0, block.height)) return 'later';",
      },
    ],
    suite: 'test/engine/named.test.ts',
    title: 'is tried again when coverage has fallen below it since it was read',
  },
  {
    name: 'skew-takes-owner',
    edits: [
      {
        file: 'src/transfers/owning-quote-sql.ts',
        find: 'order by ${meantFirst}q.held_from <= t.block_time desc, q.held_from desc',
        replace: 'order by ${meantFirst}q.held_from desc',
      },
    ],
    suite: 'test/engine/mutant-takeovers.test.ts',
    title: 'a payment between two owners of an amount is of the one who owned it at its block time',
  },
  {
    name: 'agreed-not-rechecked',
    edits: [
      {
        file: 'src/accounts/cover-account.ts',
        find: lines(
          'if (unconfirmedTransfers(read, stored, end).some((transfer) => !agreed.has(positionKey(transfer))))',
          '      return undefined;',
        ),
        replace: lines(
          'if (unconfirmedTransfers(read, stored, end).some((transfer) => !agreed.has(positionKey(transfer)) && transfer.height < 0))',
          '      return undefined;',
        ),
      },
    ],
    suite: 'test/engine/account-one-word.test.ts',
    title: 'a payment that lost its proof between the agreement and the commit is not covered',
  },
  {
    name: 'ancestor-by-first',
    edits: [
      {
        file: 'src/chains/rewind-chain.ts',
        find: "const theirs = await source.blockAt(height, 'second');",
        replace: "const theirs = await source.blockAt(height, 'first');",
      },
    ],
    suite: 'test/engine/mutant-takeovers.test.ts',
    title: 'the last common block of a reorg is not taken from the provider that may be stale',
  },
  {
    name: 'rescan-above-final',
    edits: [
      {
        file: 'src/chains/rescan-chain.ts',
        find: 'const to = Math.min(request.to ?? witnesses.finalized, witnesses.finalized, chain.height);',
        replace: 'const to = Math.min(request.to ?? witnesses.finalized, chain.height);',
      },
    ],
    suite: 'test/engine/mutant-takeovers.test.ts',
    title: 'a rescan ends at the last block that both witnesses call final, whatever it is asked for',
  },
  {
    name: 'late-attached',
    edits: [
      {
        file: 'src/invoices/change-invoice-sql.ts',
        find: 't.block_time > ${GRACE_END} and t.attached_by is null',
        replace: 't.block_time > ${GRACE_END}',
      },
    ],
    suite: 'test/engine/mutant-takeovers.test.ts',
    title: 'a late payment that a person attached has no reason to pay nothing',
  },
  {
    name: 'kept-forgotten',
    edits: [
      {
        file: 'src/chains/chain-sql.ts',
        find: 'kept = chain_blocks.kept or excluded.kept`',
        replace: 'kept = excluded.kept`',
      },
    ],
    suite: 'src/chains/chain-sql.test.ts',
    title: 'a header that is kept stays kept when it is read again',
  },
  {
    name: 'listed-of-other-block',
    edits: [
      {
        file: 'src/chains/settle-differences.ts',
        find: '(one?.succeeded && blocks.has(one.blockHash) ?',
        replace: '(one?.succeeded && blocks.size >= 0 ?',
      },
    ],
    suite: 'test/engine/mutant-takeovers.test.ts',
    title: 'a receipt of another block than the one in question settles nothing at its own height',
  },
  {
    name: 'placed-unhashed',
    edits: [
      {
        file: 'src/chains/filter-transfers.ts',
        find: 'if (block?.hash !== transfer.blockHash) {',
        replace: 'if (!block) {',
      },
    ],
    suite: 'src/chains/filter-transfers.test.ts',
    title: 'a transfer of another fork than its range is not placed',
  },
  {
    name: 'pending-never-wraps',
    edits: [
      {
        file: 'src/invoices/decide-pending-invoices.ts',
        find: '(found.length < round ? 0n : (found.at(-1)?.id ?? 0n))',
        replace: '(found.length === 0 ? 0n : (found.at(-1)?.id ?? 0n))',
      },
    ],
    suite: 'test/engine/mutant-takeovers.test.ts',
    title: 'a round that found fewer invoices than it may begins again at the first one',
  },
];
